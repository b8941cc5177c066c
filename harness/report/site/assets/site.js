"use strict";
// All content is in the pages. This script adds search, filters, copying, the comparison of libraries, and themes.

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
search.append(made("label", "Search libraries, measures, axes, cases and documentation", { class: "sr", for: "find" }),
  made("input", "", { id: "find", type: "search", placeholder: "MRR, sklearn ties, 2^rel …", autocomplete: "off", spellcheck: "false" }));
top_.append(search, theme);
const foundBox = made("div", "", { id: "found", role: "region", "aria-label": "Search results" });
foundBox.hidden = true;
top_.after(foundBox);
theme.addEventListener("click", () => { page.dataset.theme = isDark() ? "light" : "dark"; stored.set("theme", page.dataset.theme); label(); });
prefersDark.addEventListener("change", label);
label();

function made(tag, text, more) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(more || {})) element.setAttribute(name, value);
  return element;
}

function remember(changes) {
  const state = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) { if (value) state.set(name, value); else state.delete(name); }
  const text = state.toString().replaceAll("%2C", ",");
  address((text ? `?${text}` : location.pathname) + location.hash);
}

function address(place) {
  try { history.replaceState(null, "", place); } catch { /* from disk, some browsers refuse */ }
}

let loading = null;
function indexed() {
  loading ||= new Promise((resolve, reject) => {
    const script = made("script", "", { src: `${root}assets/search.js` });
    script.onload = () => resolve(window.rankproofIndex);
    script.onerror = () => reject(new Error("assets/search.js is missing"));
    document.head.append(script);
  });
  return loading;
}

// -- copying the command that reproduces a case -----------------------------------------------------------------------

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

for (const line of document.querySelectorAll(".repros li")) {
  const library = line.textContent.trim();
  const button = made("button", library, { type: "button", "aria-label": `Copy the command for ${library}` });
  button.addEventListener("click", async () => {
    await put(document.getElementById("command").textContent.replace("LIBRARY", library));
    button.textContent = document.getElementById("copied").textContent = "Copied";
    button.focus();
    setTimeout(() => { button.textContent = library; }, 1500);
  });
  line.replaceChildren(button);
}

// -- the list of cases ------------------------------------------------------------------------------------------------

const filter = document.querySelector(".filters input");
if (filter) {
  const topics = [...document.querySelectorAll(".topic")].map((topic) => ({
    topic, lines: [...topic.querySelectorAll("li")].map((line) => ({ line, text: `${line.textContent} ${line.dataset.t}`.toLowerCase() })),
  }));
  const count = document.getElementById("count");
  const total = count.textContent;
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { topic, lines } of topics) {
      let own = 0;
      for (const { line, text } of lines) {
        line.hidden = !words.every((word) => text.includes(word));
        own += !line.hidden;
      }
      topic.hidden = !own;
      topic.open = own > 0 && words.length > 0;
      shown += own;
    }
    count.textContent = words.length ? `${shown} of ${total}` : total;
    remember({ q: filter.value });
  };
  filter.value = new URLSearchParams(location.search).get("q") || "";
  filter.addEventListener("input", apply);
  filter.form.addEventListener("submit", (event) => event.preventDefault());
  if (filter.value) apply();
}

// -- the matrix -------------------------------------------------------------------------------------------------------

const matrix = document.querySelector(".mx");
if (matrix) {
  const query = new URLSearchParams(location.search);
  const heads = [...matrix.tHead.rows[0].cells].slice(1);
  const lines = [...matrix.tBodies[0].rows];
  const narrow = matchMedia("(max-width: 46rem)");
  const names = heads.map((head) => head.dataset.l);
  const first = narrow.matches ? [names[0], names[3] || names[1] || names[0]] : names.slice(0, Number(matrix.dataset.shown));
  const chosen = (query.get("l") || "").split(",").filter((name) => names.includes(name));
  let picked = new Set(chosen.length ? chosen : first);
  let unfolded = query.has("all");

  const picks = document.getElementById("picks");
  const boxes = heads.map((head) => {
    const label = made("label");
    const box = made("input", "", { type: "checkbox", value: head.dataset.l });
    label.append(box, ` ${head.querySelector("a").textContent}`);
    box.addEventListener("change", () => {
      if (box.checked && narrow.matches && picked.size >= 4) picked.delete([...picked][0]);
      if (box.checked) picked.add(box.value); else picked.delete(box.value);
      if (!picked.size) picked.add(box.value);
      apply();
    });
    picks.append(label);
    return box;
  });
  for (const [text, which] of [["All", names], ["The first", first]]) {
    const button = made("button", text, { type: "button" });
    button.addEventListener("click", () => { picked = new Set(which); apply(); });
    picks.append(button);
  }

  // Rows are folded that are rare, or the same for all libraries that are shown; a row that a link leads to is not.
  function apply() {
    boxes.forEach((box) => { box.checked = picked.has(box.value); });
    const seen = names.map((name) => picked.has(name));
    heads.forEach((head, i) => { head.hidden = !seen[i]; });
    for (const line of lines) {
      const sets = [];
      seen.forEach((is, i) => {
        const cell = line.cells[i + 1];
        cell.hidden = !is;
        if (is && cell.dataset.v) sets.push(cell.dataset.v.split(" "));
      });
      const same = picked.size > 1 && (!sets.length || sets[0].some((value) => sets.every((values) => values.includes(value))));
      line.hidden = !unfolded && (same || line.classList.contains("rare")) && location.hash !== `#${line.cells[0].id}`;
    }
    if (lines.every((line) => line.hidden)) for (const line of lines) line.hidden = false;
    const folded = lines.filter((line) => line.hidden).length;
    const rows = document.getElementById("rows");
    rows.hidden = !folded && !unfolded;
    rows.textContent = unfolded ? "Fewer rows" : `${folded} more rows`;
    rows.setAttribute("aria-expanded", unfolded);
    document.getElementById("picked").textContent = picked.size < names.length ? `${names.length - picked.size} more libraries` : "Libraries";
    document.getElementById("shown").textContent = `${lines.length - folded} axes, ${picked.size} libraries`;
    matrix.classList.toggle("few", picked.size <= 4);
    const shown = names.filter((name) => picked.has(name)).join(",");
    remember({ l: shown === first.join(",") ? "" : shown, all: unfolded ? "1" : "" });
    for (const link of document.querySelectorAll(".chips a[href]")) link.search = location.search;
  }
  document.getElementById("rows").addEventListener("click", () => { unfolded = !unfolded; apply(); });
  window.addEventListener("hashchange", apply);
  apply();
  if (location.hash.startsWith("#a-")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

for (const box of document.querySelectorAll(".scroll")) {
  const mark = () => box.classList.toggle("cut", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
  new ResizeObserver(mark).observe(box);
  if (box.firstElementChild) new ResizeObserver(mark).observe(box.firstElementChild);
  box.addEventListener("scroll", mark);
}

// -- two libraries compared -------------------------------------------------------------------------------------------

const duo = document.getElementById("duo");
if (duo) indexed().then((index) => {
  const [measure, one, other] = ["form", "one", "other"].map((id) => document.getElementById(id));
  const library = (name) => index.libraries.find(([own]) => own === name);
  for (const key of Object.keys(index.facts)) measure.append(made("option", index.forms[key][0], { value: key }));

  function fill() {
    const names = Object.keys(index.facts[measure.value]).sort((a, b) => library(a)[1].localeCompare(library(b)[1]));
    for (const [field, standing] of [[one, one.value], [other, other.value]]) {
      field.replaceChildren(...names.map((name) => made("option", library(name)[1], { value: name })));
      if (names.includes(standing)) field.value = standing;
    }
    if (one.value === other.value) other.value = names.find((name) => name !== one.value) || one.value;
  }

  function cellOf([word, witness]) {
    const cell = made("td");
    const known = index.cases.find(([id]) => id === witness);
    cell.append(known ? made("a", word, { href: root + known[2] }) : word || "undetermined");
    return cell;
  }

  function show() {
    const [a, b] = [one, other].map((field) => index.facts[measure.value][field.value]);
    const [mine, theirs] = [library(one.value), library(other.value)];
    const table = made("table", "", { class: "duel" });
    const head = table.createTHead().insertRow();
    head.insertCell();
    for (const side of [mine, theirs]) {
      const cell = made("th", "", { scope: "col" });
      cell.append(made("a", side[1], { href: root + side[2] }));
      head.append(cell);
    }
    const body = table.createTBody();
    const open = [];
    for (const axis of Object.keys(index.axes).filter((name) => a[name] && b[name])) {
      const [left, right] = [a[axis].slice(2), b[axis].slice(2)];
      if (!left.length || !right.length) open.push(index.axes[axis].label);
      else if (!left.some((value) => right.includes(value))) {
        const row = body.insertRow();
        const cell = made("th", "", { scope: "row" });
        cell.append(made("a", index.axes[axis].label, { href: root + index.axes[axis].page }));
        row.append(cell, cellOf(a[axis]), cellOf(b[axis]));
      }
    }
    const count = body.rows.length;
    const parts = [made("h2", `${mine[1]} and ${theirs[1]}, ${index.forms[measure.value][0]}: ${count} difference${count === 1 ? "" : "s"}`)];
    parts.push(count ? table : made("p", "The results show the same conventions for both."));
    if (open.length) parts.push(made("p", `Undetermined for one of them: ${open.join("; ")}.`, { class: "meta" }));
    document.getElementById("pair").replaceChildren(...parts);
    const link = made("p");
    link.append(made("a", "All their conventions", { class: "go", href: `${root}${index.forms[measure.value][1]}?l=${one.value},${other.value}` }));
    document.getElementById("pair").append(link);
  }

  function fromHash() {
    const [names, key] = decodeURIComponent(location.hash.slice(1)).split("/");
    const given = names.startsWith("q=") ? [] : names.split("--").filter(Boolean);
    const wanted = [...new Set([...given, "trec_eval", "sklearn"])].slice(0, 2);
    const forms = Object.keys(index.facts);
    const form = forms.includes(key) ? key : [wanted, given].map((needed) => forms.find((each) => needed.every((name) => index.facts[each][name]))).find(Boolean);
    if (form) measure.value = form;
    fill();
    [one, other].forEach((field, i) => { if (index.facts[measure.value][wanted[i]]) field.value = wanted[i]; });
    if (one.value === other.value) other.value = [...other.options].map((option) => option.value).find((name) => name !== one.value) || one.value;
    show();
  }
  for (const field of [measure, one, other]) field.addEventListener("change", () => {
    if (field === measure) fill();
    show();
    address(`${location.pathname}#${one.value}--${other.value}/${encodeURIComponent(measure.value)}`);
  });
  window.addEventListener("hashchange", fromHash);
  if (Object.keys(index.facts).length) fromHash();
});

// -- search: libraries, measures with all their names, axes with the words for their values, cases, documentation -----

const find = document.getElementById("find");
const STOP = new Set("a an the is are was be it its do does did how what which who why when where of in on at to for with by and or my mine your you their theirs they than use uses used using compute computes give gives get library libraries measure metric i we not same does lower higher different differ between from that this there have has happen happens".split(" ").flatMap((word) => [word, stem(word)]));

function stem(word) {
  let one = word.replace(/['’]s$/, "");
  if (/[^a-z]/.test(one)) return one;
  if (one.length > 5) one = one.replace(/(ing|ed|es)$/, "");
  return one.length > 3 ? one.replace(/s$/, "").replace(/(?<=.{4})e$/, "") : one;
}

const wordsOf = (text) => (text.toLowerCase().replace(/\*\*/g, "^").match(/[\p{L}\p{N}^@.+'’]+/gu) || []).map((word) => stem(word.replace(/^[.']+|[.'’]+$/g, ""))).filter(Boolean);

const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function prepared(index) {
  if (index.ready) return index;
  index.ready = true;
  index.libraryWords = index.libraries.map(([name, title]) => ({ name, title, own: wordsOf(name)[0], words: new Set([name, name.replace(/[-_]/g, " "), name.replace(/[-_]/g, ""), title.replace(/\(.*\)/, ""), title.replace(/\(.*\)|[-_ ]/g, "")].flatMap(wordsOf)) }));
  index.measureNames = new Map();
  for (const [name, , , also] of index.measures) for (const one of [...also, name]) {
    index.measureNames.set(letters(one), name);
  }
  index.otherNames = new Map(Object.entries(index.names).map(([name, meant]) => [letters(name), meant]));
  index.axisWords = Object.entries(index.axes).map(([name, axis]) => ({
    name, axis,
    words: new Set([stem(name), ...wordsOf(name), ...wordsOf(axis.label), ...wordsOf(axis.also)].filter((word) => !STOP.has(word))),
    faint: new Set(wordsOf(axis.asks).filter((word) => !STOP.has(word))),
    values: Object.entries(axis.values).map(([value, [word, meaning, also]]) => ({
      value, word, meaning, words: new Set([...wordsOf(value), ...wordsOf(word), ...wordsOf(also)].filter((one) => !STOP.has(one))), faint: new Set(wordsOf(meaning).filter((one) => !STOP.has(one))),
    })),
  }));
  index.caseWords = index.cases.map(([id, question, page, tags]) => ({ id, question, page, words: new Set([...wordsOf(question), ...wordsOf(id), ...wordsOf(tags)]) }));
  index.documentWords = index.documents.map(([title, heading, page, text]) => ({ title: heading === title ? title : `${title}: ${heading}`, page, text: text.slice(0, 140), words: new Set(wordsOf(`${title} ${heading}`).filter((word) => !STOP.has(word))), faint: new Set(wordsOf(text)) }));
  return index;
}

// The longest name of a measure in a text, or of one that is not covered: "nDCG10", "hit rate@2", "mean reciprocal rank".
function measureIn(index, raw) {
  const joined = raw.match(/[\p{L}\p{N}_@]+/gu) || [];
  const found = [];
  joined.forEach((_, i) => [1, 2, 3, 4].filter((n) => i + n <= joined.length).forEach((n) => {
    const parts = joined.slice(i, i + n);
    const typed = parts.join(" ").replace(/@.*$/, "");
    const bare = typed.replace(/[\s_]*(at)?[\s_]*[\d.]+$/i, "");
    for (const one of [parts.join(" "), typed, bare, bare.replace(/(?<=.{3})s$/, "")]) {
      const key = letters(one);
      const [name, other] = [index.measureNames.get(key), index.otherNames.get(key)];
      if ((name && (key.length > 1 || one === name)) || other) { found.push({ name, other, parts, size: key.length }); break; }
    }
  }));
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
  const named = measureIn(index, raw);
  const measure = named && named.name ? named : null;
  const used = new Set([...words.filter((word) => best.some((one) => one.words.has(word))), ...(named ? wordsOf(named.parts.join(" ")) : [])]);
  const rest = words.filter((word) => !used.has(word));
  const history = /version|chang|histor|upgrad|releas/.test(raw.toLowerCase());
  const add = (score, kind, title, href, text) => results.push({ score, kind, title, href: root + href, text });
  const near = (set, word) => (set.has(word) ? 1 : word.length > 3 && [...set].some((one) => one.startsWith(word)) ? 0.6 : 0);

  if (named && named.other) add(125, named.other[0], named.other[1], named.other[2], "Measures that rankproof computes, with their other names");

  const axes = index.axisWords.filter((one) => !measure || !formOf(index, measure.name, "", "") || formOf(index, measure.name, "", one.name)).map((one) => {
    const own = rest.reduce((sum, word) => sum + near(one.words, word) + (one.words.has(word) ? 0 : 0.3 * near(one.faint, word)), 0);
    const value = one.values.map((v) => ({ ...v, hits: rest.reduce((sum, word) => sum + (one.words.has(word) ? 0 : near(v.words, word) || 0.3 * near(v.faint, word)), 0) })).sort((a, b) => b.hits - a.hits)[0];
    return { ...one, own, value: value && value.hits >= 0.6 ? value : null, score: own * 2 + (value ? value.hits * 1.5 : 0) };
  }).filter((one) => one.score >= 1).sort((a, b) => b.score - a.score);
  const top = axes[0];

  for (const one of best.slice(0, 3)) {
    const page = index.libraries[one.i][2];
    if (history && index.history.includes(one.name)) add(130, "history", `${one.title}: changes by version`, `${page}#history`, "Changes from version to version, each with a case that shows it");
    if (top) {
      const key = formOf(index, measure && measure.name, one.name, top.name);
      if (key) {
        const [shown, , ...values] = index.facts[key][one.name][top.name];
        const asked = top.value && top.value.value;
        const said = !values.length ? "undetermined" : shown;
        const yes = !asked || !values.length ? "" : values.includes(asked) ? "Yes. " : "No. ";
        const others = Object.keys(index.facts).filter((other) => other !== key && index.facts[other][one.name] && index.facts[other][one.name][top.name] && index.facts[other][one.name][top.name][0] !== shown);
        const differently = others.slice(0, 4).map((other) => `${index.forms[other][0]}: ${index.facts[other][one.name][top.name][0] || "undetermined"}`).join("; ");
        add(120, "answer", `${yes}${one.title}, ${index.forms[key][0]}: ${top.axis.label}: ${said}`, `${index.forms[key][1]}?l=${one.name}#a-${top.name}`, differently ? `Different in ${differently}` : top.axis.asks);
      }
    }
    if (measure) {
      const key = formOf(index, measure.name, one.name, "");
      if (key) add(top ? 70 : 110, "matrix", `${one.title}, ${index.forms[key][0]}: all conventions`, `${index.forms[key][1]}?l=${one.name}`, index.libraries[one.i][3]);
    }
    add(top || measure ? 60 : 100, "library", one.title, page, index.libraries[one.i][3]);
  }
  if (best.length === 2) {
    best.sort((a, b) => a.title.localeCompare(b.title));
    const key = Object.keys(index.facts).find((form) => (!measure || form.split(/[@(]/)[0] === measure.name) && best.every((one) => index.facts[form][one.name]));
    if (key) add(115, "compare", `${best[0].title} and ${best[1].title}, ${index.forms[key][0]}, compared`, `compare.html#${[best[0].name, best[1].name].join("--")}/${encodeURIComponent(key)}`, "The conventions on which they differ");
  }
  if (measure) {
    const one = index.measures.find(([name]) => name === measure.name);
    add(best.length ? 75 : rest.length && top && top.score >= 2 ? 88 : 105, "measure", one[0] + (one[3].length ? `, also called ${one[3].join(", ")}` : ""), one[2], one[1]);
  }
  axes.slice(0, 5).forEach((one, nth) => {
    const key = formOf(index, measure && measure.name, "", one.name);
    if (one.value && key && !best.length) {
      const who = Object.entries(index.facts[key]).filter(([, by]) => by[one.name] && by[one.name].slice(2).includes(one.value.value)).map(([name]) => index.libraries.find((lib) => lib[0] === name)[1]);
      add(95 - 8 * nth + one.value.hits, "answer", `${one.axis.label}: ${one.value.word}: ${who.length ? who.join(", ") : "no library"} (${index.forms[key][0]})`, `${one.axis.page}#v-${one.value.value}`, one.value.meaning);
    }
    add((best.length ? 50 : 90) - 3 * nth + Math.min(one.score, 3), "axis", one.axis.label, one.axis.page, one.axis.asks);
  });
  const cased = index.caseWords.map((one) => ({ ...one, hits: words.reduce((sum, word) => sum + near(one.words, word), 0) })).filter((one) => one.hits).sort((a, b) => b.hits - a.hits);
  for (const one of cased.slice(0, 12)) add(10 + 30 * one.hits / Math.max(words.length, 1), "case", one.question, one.page, one.id);
  const read = index.documentWords.map((one) => ({ ...one, named: words.filter((word) => near(one.words, word)).length, hits: words.filter((word) => near(one.words, word) || one.faint.has(word)).length })).filter((one) => one.hits === words.length && words.length).sort((a, b) => b.named - a.named);
  for (const one of read.slice(0, 4)) add(one.named ? 40 + 60 * one.named / words.length : 12, "docs", one.title, one.page, one.text);
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
  if (raw || location.hash.startsWith("#q=")) address(location.pathname + location.search + hash);
  if (!raw) { foundBox.hidden = true; foundBox.replaceChildren(); return; }
  indexed().then((index) => {
    if (turn !== looked) return;
    const results = look(index, raw);
    const list = made("ol");
    for (const one of results) {
      const item = made("li");
      const link = made("a", one.title, { href: one.href });
      item.append(made("small", one.kind), link, made("p", one.text));
      list.append(item);
    }
    foundBox.replaceChildren(results.length ? list : made("p", "No results. Try the name of a library, a measure or an axis."));
    foundBox.hidden = false;
  }, (error) => { foundBox.textContent = error.message; foundBox.hidden = false; });
}

find.addEventListener("input", showFound);
find.form.addEventListener("submit", (event) => { event.preventDefault(); const first = foundBox.querySelector("a"); if (first) location.href = first.href; });
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !typing) { event.preventDefault(); find.focus(); }
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
