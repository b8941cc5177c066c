"use strict";
// All content is in the pages; this adds filters, copying, and a choice of light or dark.

const page = document.documentElement;
const stored = { get: (k) => { try { return localStorage.getItem(k); } catch { return null; } }, set: (k, v) => { try { localStorage.setItem(k, v); } catch { /* from disk, some browsers keep nothing */ } } };
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (page.dataset.theme ? page.dataset.theme === "dark" : prefersDark.matches);
if (["light", "dark"].includes(stored.get("theme"))) page.dataset.theme = stored.get("theme");

for (const part of document.querySelectorAll(".js")) part.hidden = false;

const theme = document.querySelector(".theme");
const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
theme.hidden = false;
theme.addEventListener("click", () => { page.dataset.theme = isDark() ? "light" : "dark"; stored.set("theme", page.dataset.theme); label(); });
prefersDark.addEventListener("change", label);
label();

// -- copying ------------------------------------------------------------------------------------------------------

function scripts() {
  return new Promise((resolve, reject) => {
    if (window.rankproofScripts) { resolve(window.rankproofScripts); return; }
    const script = document.createElement("script");
    script.src = document.querySelector('script[src$="site.js"]').src.replace(/site\.js$/, "scripts.js");
    script.onload = () => resolve(window.rankproofScripts);
    script.onerror = () => reject(new Error("assets/scripts.js is missing"));
    document.head.append(script);
  });
}

async function scriptOf(library, nth) {
  const page = JSON.parse(document.getElementById("scripts").textContent);
  const { adapters, heads, calls, frame } = await scripts();
  const data = document.getElementById("data").textContent;
  const own = calls[library][page.calls[nth]];
  return `${page.head[0]}${heads[library]}${page.head[1]}${adapters[library]}\n${data}\n\n${frame[0]}${own}${frame[1]}`;
}

async function put(text) {
  try { await navigator.clipboard.writeText(text); } catch {
    // Pages from disk may not have the clipboard: the old way.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButton(name, library, text) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.setAttribute("aria-label", `${name} for ${library}`);
  button.addEventListener("click", async () => {
    const status = document.getElementById("copied");
    try {
      await put(await text());
      button.textContent = status.textContent = "Copied";
    } catch (error) { status.textContent = error.message; button.textContent = "Not copied"; }
    button.focus();
    setTimeout(() => { button.textContent = name; }, 1500);
  });
  return button;
}

for (const [nth, line] of document.querySelectorAll(".repros li").entries()) {
  const library = line.querySelector("b").textContent;
  const command = line.textContent;
  const text = document.createElement("span");
  text.append(...line.childNodes);
  const buttons = document.createElement("span");
  buttons.className = "copy";
  buttons.append(copyButton("Copy command", library, () => command), copyButton("Copy script", library, () => scriptOf(library, nth)));
  line.append(text, buttons);
}

// -- the matrix ---------------------------------------------------------------------------------------------------

const form = document.querySelector(".filters");
if (form) {
  const SIGNS = { a: "●", c: "◆", k: "▲", f: "✕", u: "■" };
  const WORST = "fkcau";
  const fields = ["q", "tag", "measure", "library", "verdict"].map((id) => document.getElementById(id));
  const lines = [...document.querySelectorAll(".matrix tbody tr")].map((row) => ({
    row,
    text: row.cells[0].textContent.toLowerCase(),
    tags: row.dataset.tags.split(" "),
    answers: row.dataset.v ? row.dataset.v.split(";").map((one) => [one.slice(0, one.lastIndexOf(" ")), one.slice(one.lastIndexOf(" ") + 1)]) : [],
    cells: [...row.cells].slice(2),
    count: row.cells[1],
    shown: null,
  }));
  const count = document.getElementById("count");

  const worst = (letters) => WORST.split("").find((one) => letters.includes(one)) || ".";

  function lettersOf(line, measure) {
    const asked = measure ? line.answers.filter(([name]) => name === measure) : line.answers;
    return line.cells.map((_, i) => worst(asked.map(([, letters]) => letters[i])));
  }

  function draw(line, letters, verdict, library) {
    const state = letters.join("") + verdict + library;
    if (line.shown === state) return;
    line.shown = state;
    line.cells.forEach((cell, i) => {
      const sign = SIGNS[letters[i]] || "";
      cell.className = sign && letters[i];
      cell.textContent = sign;
      if ((library !== "" && i !== +library) || (verdict && letters[i] !== verdict)) cell.classList.add("dim");
    });
    const answered = letters.filter((one) => one !== ".");
    const differ = document.createElement("b");
    differ.textContent = answered.filter((one) => one !== "a" && one !== "u").length;
    line.count.replaceChildren(differ, ` of ${answered.length}`);
  }

  function apply() {
    const [q, tag, measure, library, verdict] = fields.map((field) => field.value);
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const line of lines) {
      const letters = lettersOf(line, measure);
      const looked = library === "" ? letters : [letters[+library]];
      const fits = words.every((word) => line.text.includes(word))
        && (!tag || line.tags.includes(tag))
        && (!measure || line.answers.some(([name]) => name === measure))
        && (verdict ? looked.includes(verdict) : library === "" || looked[0] !== ".");
      line.row.hidden = !fits;
      if (fits) { shown += 1; draw(line, letters, verdict, library); }
    }
    count.textContent = shown === lines.length ? `${shown} cases` : `${shown} of ${lines.length} cases`;
    const state = new URLSearchParams(fields.map((f) => [f.id, f.value]).filter(([, value]) => value));
    try { history.replaceState(null, "", state.size ? `?${state}` : location.pathname); } catch { /* from disk, some browsers refuse */ }
  }

  const given = new URLSearchParams(location.search);
  for (const field of fields) if (given.has(field.id)) field.value = given.get(field.id);
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); fields[0].focus(); }
  });
  if ([...given.keys()].length) apply();
}
