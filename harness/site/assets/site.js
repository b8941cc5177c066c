"use strict";
// All content is in the pages; this adds filters, copying, and a choice of light or dark.

const page = document.documentElement;
const root = page.dataset.root || "";
const stored = { get: (k) => { try { return localStorage.getItem(k); } catch { return null; } }, set: (k, v) => { try { localStorage.setItem(k, v); } catch { /* from disk, some browsers keep nothing */ } } };
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (page.dataset.theme ? page.dataset.theme === "dark" : prefersDark.matches);
if (["light", "dark"].includes(stored.get("theme"))) page.dataset.theme = stored.get("theme");

for (const part of document.querySelectorAll(".js")) part.hidden = false;

const top_ = document.querySelector(".top");
const theme = made("button", "Dark", { class: "theme", type: "button" });
const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
const search = made("form", "", { class: "find", role: "search" });
search.append(made("label", "Search libraries, measures, axes and cases", { class: "sr", for: "find" }),
  made("input", "", { id: "find", type: "search", placeholder: "MRR, sklearn ties, 2^rel …", autocomplete: "off", spellcheck: "false" }));
top_.append(search, theme);
const foundBox = made("div", "", { id: "found", role: "region", "aria-label": "What was found" });
foundBox.hidden = true;
top_.after(foundBox);
theme.addEventListener("click", () => { page.dataset.theme = isDark() ? "light" : "dark"; stored.set("theme", page.dataset.theme); label(); });
prefersDark.addEventListener("change", label);
label();

function made(tag, text, more) {
  const one = document.createElement(tag);
  if (text) one.textContent = text;
  for (const [name, value] of Object.entries(more || {})) one.setAttribute(name, value);
  return one;
}

function remember(changes) {
  const state = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) { if (value) state.set(name, value); else state.delete(name); }
  const text = state.toString().replaceAll("%2C", ",");
  try { history.replaceState(null, "", (text ? `?${text}` : location.pathname) + location.hash); } catch { /* from disk, some browsers refuse */ }
}

// -- copying ------------------------------------------------------------------------------------------------------

function loaded(file, name) {
  return new Promise((resolve, reject) => {
    if (window[name]) { resolve(window[name]); return; }
    const script = document.createElement("script");
    script.src = document.querySelector('script[src$="site.js"]').src.replace(/site\.js$/, file);
    script.onload = () => resolve(window[name]);
    script.onerror = () => reject(new Error(`assets/${file} is missing`));
    document.head.append(script);
  });
}

function scripts() {
  return loaded("scripts.js", "rankproofScripts");
}

async function scriptOf(library, nth) {
  const page = JSON.parse(document.getElementById("scripts").textContent);
  const { adapters, heads, calls, frame } = await scripts();
  const data = document.getElementById("data").textContent;
  const own = calls[library][page.calls[nth]];
  return `${page.head[0]}${heads[library]}${page.head[1]}${adapters[library]}\n${data}\n\n${frame[0]}${own}${frame[1]}`;
}

async function linesOf(library) {
  const { lines } = await scripts();
  const own = (lines[library] || {})[document.getElementById("command").dataset.measure];
  if (!own) throw new Error("There are no few lines for this measure: copy the script");
  return `${document.getElementById("data").textContent}\n\n${own}`;
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
  const library = line.textContent.trim();
  const command = document.getElementById("command").textContent.replace("LIBRARY", library);
  const text = made("span");
  text.append(...line.childNodes);
  const buttons = document.createElement("span");
  buttons.className = "copy";
  buttons.append(copyButton("Copy command", library, () => command), copyButton("Copy script", library, () => scriptOf(library, nth)));
  if (document.getElementById("command").dataset.native.split(" ").includes(library)) buttons.append(copyButton("Copy ten lines", library, () => linesOf(library)));
  line.append(text, buttons);
}

// -- the list of cases ---------------------------------------------------------------------------------------------------

const form = document.querySelector(".filters");
if (form) {
  const SIGNS = { a: "●", c: "◆", k: "▲", f: "✕", u: "■" };
  const WORST = "fkcau";
  const fields = ["q", "tag", "measure", "library", "verdict"].map((id) => document.getElementById(id));
  // A letter a variant; a number behind one says how often it stands there in a row.
  const spelled = (letters) => letters.replace(/(\D)(\d+)/g, (_, letter, n) => letter.repeat(+n));
  const lines = [...document.querySelectorAll(".matrix tbody tr")].map((row) => ({
    row,
    text: row.cells[0].textContent.toLowerCase(),
    tags: row.dataset.tags.split(" "),
    answers: row.dataset.v ? row.dataset.v.split(";").map((one) => [one.slice(0, one.lastIndexOf(" ")), spelled(one.slice(one.lastIndexOf(" ") + 1))]) : [],
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

// -- the matrix ---------------------------------------------------------------------------------------------------

const matrix = document.querySelector(".mx");
if (matrix) {
  const asked = new URLSearchParams(location.search);
  const heads = [...matrix.tHead.rows[0].cells].slice(1);
  const lines = [...matrix.querySelectorAll("tbody tr:not(.stage)")];
  const narrow = matchMedia("(max-width: 46rem)");
  const differ = document.getElementById("differ");
  const ways = document.getElementById("ways");
  const names = [...new Set(heads.map((head) => head.dataset.l))];
  const titles = Object.fromEntries(heads.map((head) => [head.dataset.l, head.querySelector("a").textContent]));
  const chosen = (asked.get("l") || "").split(",").filter((name) => names.includes(name));
  let picked = new Set(chosen.length ? chosen : narrow.matches ? matrix.dataset.first.split(" ").filter(Boolean) : names);
  differ.checked = asked.has("d");
  ways.checked = asked.has("w");
  document.getElementById("waysbox").hidden = !heads.some((head) => head.classList.contains("x"));

  const picks = document.getElementById("picks");
  const boxes = names.map((name) => {
    const label = made("label");
    const box = made("input", "", { type: "checkbox", value: name });
    label.append(box, ` ${titles[name]}`);
    box.addEventListener("change", () => {
      if (box.checked && narrow.matches && picked.size >= 4) picked.delete([...picked][0]);
      if (box.checked) picked.add(name); else picked.delete(name);
      if (!picked.size) picked.add(name);
      apply();
    });
    picks.append(label);
    return box;
  });
  const all = made("button", "All", { type: "button" });
  all.addEventListener("click", () => { picked = new Set(names); apply(); });
  picks.append(all);

  // What the answers leave: the values, or the word that says the one.
  function left(cell) {
    const link = cell.querySelector("a:not(.open)");
    if (!link) return null;
    return link.dataset.v ? [...link.dataset.v.split(" "), link.textContent] : [link.textContent];
  }

  function apply() {
    boxes.forEach((box) => { box.checked = picked.has(box.value); });
    const seen = heads.map((head) => picked.has(head.dataset.l) && (ways.checked || !head.classList.contains("x")));
    heads.forEach((head, i) => { head.hidden = !seen[i]; });
    let shown = 0;
    for (const line of lines) {
      const sets = [];
      seen.forEach((is, i) => {
        const cell = line.cells[i + 1];
        cell.hidden = !is;
        if (is) { const values = left(cell); if (values) sets.push(values); }
      });
      const same = !sets.length || sets[0].some((value) => sets.every((values) => values.includes(value)));
      line.hidden = differ.checked && same;
      if (!line.hidden) shown += 1;
    }
    for (const body of matrix.tBodies) {
      body.hidden = [...body.rows].slice(1).every((row) => row.hidden);
      body.rows[0].cells[0].colSpan = seen.filter(Boolean).length + 1;
    }
    const several = picked.size < names.length;
    document.getElementById("picked").textContent = several ? `${picked.size} of ${names.length}` : "all";
    document.getElementById("shown").textContent = `${shown} choices, ${picked.size} libraries`;
    matrix.classList.toggle("few", seen.filter(Boolean).length <= 4);
    remember({ l: several ? [...picked].join(",") : "", d: differ.checked ? "1" : "", w: ways.checked ? "1" : "" });
    for (const link of document.querySelectorAll(".chips a[href]")) link.search = location.search;
  }
  differ.addEventListener("change", apply);
  ways.addEventListener("change", apply);
  apply();

  const dialog = document.getElementById("cell");
  matrix.addEventListener("click", (event) => {
    const link = event.target.closest("td a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    loaded("search.js", "rankproofIndex").then((index) => { open(link, index); }, () => { location.href = link.href; });
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  function open(link, index) {
    const cell = link.closest("td");
    const row = cell.parentElement;
    const name = row.cells[0].id.slice(2);
    const axis = index.axes[name];
    const head = heads[cell.cellIndex - 1];
    const body = document.getElementById("cellbody");
    const who = [...head.childNodes].map((node) => node.textContent.trim()).filter(Boolean).join(" ");
    const parts = [made("h2", `${who}, ${matrix.dataset.measure}`, { id: "cellname" }), made("p", axis.asks)];
    const meaning = (value) => (axis.values[value] ? axis.values[value][1] : value);
    if (!link.classList.contains("open")) {
      const plain = Object.keys(axis.values).find((value) => axis.values[value][0] === link.textContent);
      const [first, ...more] = (link.dataset.v || plain || link.textContent).split(" ");
      const said = made("p", "", { class: "said" });
      said.append(made("b", meaning(first)), " ", made("code", `${name}=${first}`));
      parts.push(said);
      for (const value of more) parts.push(made("p", `or: ${meaning(value)} (${name}=${value}); no answer tells them apart`));
    } else {
      parts.push(made("p", "Undetermined: no answer decides it.", { class: "said" }));
      const untold = !("o" in link.dataset);
      const why = untold ? `it takes no input that ${name} is about` : link.dataset.w;
      if (why) parts.push(made("p", why));
      const list = made("ul");
      const remaining = untold ? Object.keys(axis.values).filter((value) => value !== "unspecified") : link.dataset.o.split(" ").filter(Boolean);
      for (const value of remaining) list.append(made("li", `${name}=${value}: ${meaning(value)}`));
      if (list.children.length) parts.push(made("p", "What remains:"), list);
    }
    const measure = link.dataset.m || (link.pathname.includes("/cases/") ? link.closest("tr").dataset.m : "");
    if (measure) {
      const path = new URL(link.href).pathname;
      const found = index.cases.find((one) => path.endsWith(`/${one[2]}`));
      const shows = made("p", "Shown by ");
      const to = made("a", found ? found[1] : link.href, { href: link.href });
      shows.append(to, ` (${measure})`);
      parts.push(shows);
      if (found) {
        const command = `rankproof cases repro ${found[0]} ${head.dataset.l} '${measure}' | python -`;
        const line = made("p", "", { class: "copyline" });
        line.append(made("code", command), copyButton("Copy", head.dataset.l, () => command));
        parts.push(line);
      }
    }
    const more = made("p");
    more.append(made("a", "Who else does what", { href: root + axis.page }), " · ", made("a", "The library", { href: head.querySelector("a").href }));
    parts.push(more);
    body.replaceChildren(...parts);
    dialog.showModal();
  }
}

// -- search: over libraries, measures with all their names, axes with the words for their values, and cases --------

const find = document.getElementById("find");
const STOP = new Set("a an the is are was be it its do does did how what which who why when where of in on at to for with by and or my mine your you their theirs they than use uses used using compute computes give gives get library libraries measure metric i we not same does lower higher different differ between from that this there have has".split(" "));

function stem(word) {
  let one = word.replace(/['’]s$/, "");
  if (/[^a-z]/.test(one)) return one;
  if (one.length > 5) one = one.replace(/(ing|ed|es)$/, "");
  return one.length > 3 ? one.replace(/s$/, "").replace(/(?<=.{4})e$/, "") : one;
}

const wordsOf = (text) => (text.toLowerCase().replace(/\*\*/g, "^").match(/[\p{L}\p{N}^@.+'’]+/gu) || []).map((word) => stem(word.replace(/^[.']+|[.'’]+$/g, ""))).filter(Boolean);

function prepared(index) {
  if (index.ready) return index;
  index.ready = true;
  index.libraryWords = index.libraries.map(([name, title]) => ({ name, title, own: wordsOf(name)[0], words: new Set([name, name.replace(/[-_]/g, " "), name.replace(/[-_]/g, ""), title.replace(/\(.*\)/, ""), title.replace(/\(.*\)|[-_ ]/g, "")].flatMap(wordsOf)) }));
  index.measureNames = new Map();
  for (const [name, , , also] of index.measures) for (const one of [...also, name]) {
    index.measureNames.set(one.toLowerCase().replace(/_/g, ""), name);
  }
  index.axisWords = Object.entries(index.axes).map(([name, axis]) => ({
    name, axis,
    words: new Set([stem(name), ...wordsOf(name), ...wordsOf(axis.label), ...wordsOf(axis.also)].filter((word) => !STOP.has(word))),
    faint: new Set(wordsOf(axis.asks).filter((word) => !STOP.has(word))),
    values: Object.entries(axis.values).map(([value, [word, meaning, also]]) => ({
      value, word, meaning, words: new Set([...wordsOf(value), ...wordsOf(word), ...wordsOf(also)].filter((one) => !STOP.has(one))), faint: new Set(wordsOf(meaning).filter((one) => !STOP.has(one))),
    })),
  }));
  index.caseWords = index.cases.map(([id, question, page, tags]) => ({ id, question, page, words: new Set([...wordsOf(question), ...wordsOf(id), ...wordsOf(tags)]) }));
  return index;
}

function measureIn(index, raw) {
  const joined = raw.match(/[\p{L}\p{N}_@]+/gu) || [];
  const found = [];
  joined.forEach((word, i) => {
    for (const parts of [joined.slice(i, i + 2), [word]]) {
      const key = parts.join("").toLowerCase().replace(/@.*$/, "").replace(/_/g, "");
      const name = index.measureNames.get(key) || (key.length > 3 && index.measureNames.get(key.replace(/s$/, "")));
      const exact = key.length > 1 || word.replace(/@.*$/, "") === name;
      if (name && exact) found.push({ name, parts, size: key.length });
    }
  });
  return found.sort((a, b) => b.parts.length - a.parts.length || b.size - a.size)[0] || null;
}

function formOf(index, measure, library, axis) {
  const forms = Object.keys(index.facts).filter((key) => !measure || key.split(/[@(]/)[0] === measure);
  return forms.find((key) => (!library || index.facts[key][library]) && (!axis || Object.values(index.facts[key]).some((by) => by[axis]))
    && (!library || !axis || index.facts[key][library][axis])) || null;
}

function look(index, raw) {
  prepared(index);
  const words = wordsOf(raw).filter((word) => !STOP.has(word));
  const results = [];
  const libs = index.libraryWords.map((one, i) => ({ ...one, i, hits: words.reduce((sum, word) => sum + (word === one.own ? 2 : one.words.has(word) ? 1 : 0), 0) })).filter((one) => one.hits).sort((a, b) => b.hits - a.hits);
  const best = libs.filter((one) => one.hits >= Math.min(2, libs[0].hits));
  const measure = measureIn(index, raw);
  const used = new Set([...words.filter((word) => best.some((one) => one.words.has(word))), ...(measure ? wordsOf(measure.parts.join(" ")) : [])]);
  const rest = words.filter((word) => !used.has(word));
  const history = /version|chang|histor|upgrad|releas/.test(raw.toLowerCase());
  const add = (score, kind, title, href, text) => results.push({ score, kind, title, href: root + href, text });
  const near = (set, word) => (set.has(word) ? 1 : word.length > 3 && [...set].some((one) => one.startsWith(word)) ? 0.6 : 0);

  const axes = index.axisWords.map((one) => {
    const own = rest.reduce((sum, word) => sum + near(one.words, word) + (one.words.has(word) ? 0 : 0.3 * near(one.faint, word)), 0);
    const value = one.values.map((v) => ({ ...v, hits: rest.reduce((sum, word) => sum + (one.words.has(word) ? 0 : near(v.words, word) || 0.3 * near(v.faint, word)), 0) })).sort((a, b) => b.hits - a.hits)[0];
    return { ...one, own, value: value && value.hits >= 0.6 ? value : null, score: own * 2 + (value ? value.hits * 1.5 : 0) };
  }).filter((one) => one.score >= 1).sort((a, b) => b.score - a.score);
  const top = axes[0];

  for (const one of best.slice(0, 3)) {
    const page = index.libraries[one.i][3];
    if (history && index.history.includes(one.name)) add(130, "history", `${one.title}: which versions changed`, `${page}#history`, "What changed from version to version, with the case that shows it");
    if (top) {
      const key = formOf(index, measure && measure.name, one.name, top.name);
      if (key) {
        const [shown, ...values] = index.facts[key][one.name][top.name];
        const asked = top.value && top.value.value;
        const said = !values.length ? "undetermined" : shown;
        const yes = !asked || !values.length ? "" : values.includes(asked) ? "Yes. " : "No. ";
        const others = Object.keys(index.facts).filter((other) => other !== key && index.facts[other][one.name] && index.facts[other][one.name][top.name] && index.facts[other][one.name][top.name][0] !== shown);
        const differently = others.slice(0, 4).map((other) => `${index.forms[other][0]}: ${index.facts[other][one.name][top.name][0] || "undetermined"}`).join("; ");
        add(120, "answer", `${yes}${one.title}, ${index.forms[key][0]}: ${top.axis.label.toLowerCase()}: ${said}`, `${index.forms[key][1]}?l=${one.name}#a-${top.name}`, differently ? `Otherwise in ${differently}` : top.axis.asks);
      }
    }
    if (measure) {
      const key = formOf(index, measure.name, one.name, "");
      if (key) add(top ? 70 : 110, "matrix", `${one.title}, ${index.forms[key][0]}: all its choices`, `${index.forms[key][1]}?l=${one.name}`, index.libraries[one.i][4]);
    }
    add(top || measure ? 60 : 100, "library", one.title, page, index.libraries[one.i][4]);
  }
  if (best.length === 2) {
    best.sort((a, b) => a.title.localeCompare(b.title));
    const key = Object.keys(index.compare).find((form) => (!measure || form.split(/[@(]/)[0] === measure.name) && index.facts[form] && best.every((one) => index.facts[form][one.name]));
    if (key) add(115, "compare", `${best[0].title} and ${best[1].title}, ${index.forms[key][0]}, side by side`, `${index.compare[key]}#${[best[0].name, best[1].name].sort().join("--")}`, "What they do differently, the biggest difference first");
  }
  if (measure) {
    const one = index.measures.find(([name]) => name === measure.name);
    add(best.length ? 75 : rest.length && top && top.score >= 2 ? 88 : 105, "measure", one[0] + (one[3].length ? `, also called ${one[3].join(", ")}` : ""), one[2], one[1]);
  }
  axes.slice(0, 5).forEach((one, nth) => {
    const key = formOf(index, measure && measure.name, "", one.name);
    if (one.value && key && !best.length) {
      const who = Object.entries(index.facts[key]).filter(([, by]) => by[one.name] && by[one.name].slice(1).includes(one.value.value)).map(([name]) => index.libraries.find((lib) => lib[0] === name)[1]);
      add(95 - nth + one.value.hits, "answer", `${one.axis.label}: ${one.value.word}: ${who.length ? who.join(", ") : "nobody here"} (${index.forms[key][0]})`, `${one.axis.page}#v-${one.value.value}`, one.value.meaning);
    }
    add((best.length ? 50 : 90) - 3 * nth + Math.min(one.score, 3), "axis", one.axis.label, one.axis.page, one.axis.asks);
  });
  const cased = index.caseWords.map((one) => ({ ...one, hits: words.reduce((sum, word) => sum + near(one.words, word), 0) })).filter((one) => one.hits).sort((a, b) => b.hits - a.hits);
  for (const one of cased.slice(0, 12)) add(10 + 30 * one.hits / Math.max(words.length, 1), "case", one.question, one.page, one.id);
  if (words.length === 1) for (const [name, what, page, also] of index.measures) {
    if (!(measure && measure.name === name) && [name, ...also].some((one) => one.toLowerCase().startsWith(words[0]))) add(65, "measure", name, page, what);
  }
  const seen = new Set();
  return results.sort((a, b) => b.score - a.score).filter((one) => !seen.has(one.href + one.kind) && seen.add(one.href + one.kind)).slice(0, 16);
}

let looked = 0;
function showFound() {
  const raw = find.value.trim();
  looked += 1;
  const turn = looked;
  const hash = raw ? `#q=${encodeURIComponent(raw)}` : "";
  if (raw || location.hash.startsWith("#q=")) { try { history.replaceState(null, "", location.pathname + location.search + hash); } catch { /* from disk, some browsers refuse */ } }
  if (!raw) { foundBox.hidden = true; foundBox.replaceChildren(); return; }
  loaded("search.js", "rankproofIndex").then((index) => {
    if (turn !== looked) return;
    const results = look(index, raw);
    const list = made("ol");
    for (const one of results) {
      const item = made("li");
      const link = made("a", one.title, { href: one.href });
      item.append(made("small", one.kind), link, made("p", one.text));
      list.append(item);
    }
    foundBox.replaceChildren(results.length ? list : made("p", "Nothing was found. Try the name of a library, a measure or a choice."));
    foundBox.hidden = false;
  }, (error) => { foundBox.textContent = error.message; foundBox.hidden = false; });
}

find.addEventListener("input", showFound);
find.form.addEventListener("submit", (event) => { event.preventDefault(); const first = foundBox.querySelector("a"); if (first) location.href = first.href; });
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !typing && !form) { event.preventDefault(); find.focus(); }
  if (event.key === "Escape" && !foundBox.hidden) { find.value = ""; showFound(); find.focus(); }
  if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !foundBox.hidden && (document.activeElement === find || foundBox.contains(document.activeElement))) {
    const links = [find, ...foundBox.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (links[at]) { event.preventDefault(); links[at].focus(); }
  }
});
function fromAddress() {
  if (location.hash.startsWith("#q=")) { find.value = decodeURIComponent(location.hash.slice(3)); showFound(); } else if (!foundBox.hidden) { find.value = ""; showFound(); }
}
window.addEventListener("hashchange", fromAddress);
fromAddress();

// -- two libraries side by side -----------------------------------------------------------------------------------


const duels = document.getElementById("duels");
if (duels) {
  const data = JSON.parse(duels.textContent);
  const one = document.getElementById("one");
  const other = document.getElementById("other");
  const at = Object.fromEntries(data.sides.map(([name], i) => [name, i]));
  const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

  function headOf(side) {
    const cell = made("th", "", { scope: "col" });
    cell.append(made("a", side[1], { href: root + side[4] }), made("small", [side[3], side[2]].filter(Boolean).join(" ")));
    return cell;
  }

  function whatOf([axis, question]) {
    const cell = made("th", "", { scope: "row" });
    cell.append(made("a", data.axes[axis][0], { href: root + data.axes[axis][1] }));
    if (question !== undefined) {
      const [id, measure, place] = data.questions[question];
      const shows = made("small");
      shows.append(made("a", id, { href: root + place }), ` ${measure}`);
      cell.append(shows);
    }
    return cell;
  }

  function tableOf(found, i, j) {
    const table = made("table", "", { class: "duel" });
    const head = table.createTHead().insertRow();
    head.insertCell();
    head.append(headOf(data.sides[i]), headOf(data.sides[j]));
    const body = table.createTBody();
    for (const difference of found) {
      const row = body.insertRow();
      row.append(whatOf(difference));
      for (const [side, value] of [[i, difference[2]], [j, difference[3]]]) {
        const cell = row.insertCell();
        cell.append(data.cells[side][difference[0]]);
        if (value !== undefined) cell.append(made("b", value));
      }
    }
    return table;
  }

  function tell() {
    const [i, j] = [at[one.value], at[other.value]].sort((a, b) => a - b);
    const [a, b] = [data.sides[i], data.sides[j]];
    const found = data.pairs[`${a[0]}--${b[0]}`];
    if (!found) return;
    const count = `${NUMBERS[found.length] || found.length} difference${found.length === 1 ? "" : "s"}${found.length > 1 ? ", the biggest first" : ""}`;
    const parts = [made("h2", `${a[1]} and ${b[1]}, ${duels.dataset.measure}: ${count}`)];
    parts.push(found.length ? tableOf(found, i, j) : made("p", "Wherever it was decided, both do the same."));
    const open = data.axes.filter((_, axis) => { const both = [data.cells[i][axis], data.cells[j][axis]]; return both.includes("") && !both.includes(null); });
    if (open.length) parts.push(made("p", `Undetermined for one of them: ${open.map(([label]) => label.toLowerCase()).join("; ")}.`, { class: "meta" }));
    document.getElementById("pair").replaceChildren(...parts);
  }

  function choose(id) {
    const names = id.split("--").filter((name) => name in at);
    if (names.length === 2) [one.value, other.value] = names;
    if (one.value === other.value) other.value = data.sides.find(([name]) => name !== one.value)[0];
    tell();
  }
  for (const field of [one, other]) {
    field.addEventListener("change", () => {
      choose("");
      try { history.replaceState(null, "", `${location.search}#${[one.value, other.value].sort().join("--")}`); } catch { /* from disk, some browsers refuse */ }
    });
  }
  for (const link of document.querySelectorAll("[data-pair]")) link.href = `#${link.dataset.pair}`;
  const here = () => choose(decodeURIComponent(location.hash.slice(1)));
  window.addEventListener("hashchange", here);
  here();
}
