// Runner of the exported cases: node runner.js cases.json [CONVENTION].
// Exit code 1 if a value differs from the expected value of CONVENTION (default: standard).
"use strict";

// -- your measures: replace this example -------------------------------------------------------------------------------
const CLAIMS = /^(P@\d+|(RR|nDCG)(@\d+)?)$/;

// Input: [document, grade] and [document, score] by query. Output: query -> value, and "mean".
function measured(name, k, qrels, run) {
  const found = {};
  const dcg = (rels) => rels.reduce((sum, rel, i) => sum + rel / Math.log2(i + 2), 0);
  for (const [query, judged] of qrels) {
    const relOf = new Map(judged);
    const ranked = [...(run.get(query) ?? [])].sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1));
    const rels = ranked.map(([doc]) => relOf.get(doc) ?? 0).slice(0, k);
    const best = dcg([...relOf.values()].sort((a, b) => b - a).slice(0, k));
    if (name === "P") found[query] = rels.filter((rel) => rel >= 1).length / k;
    else if (name === "RR") found[query] = 1 / (rels.findIndex((rel) => rel >= 1) + 1 || Infinity);
    else found[query] = best ? dcg(rels) / best : 0;
  }
  return { ...found, mean: Object.values(found).reduce((sum, value) => sum + value, 0) / qrels.size };
}

// -- the runner -------------------------------------------------------------------------------------------------------
const byQuery = (rows) => new Map(rows.map(([query]) => [query, rows.filter((row) => row[0] === query).map((row) => row.slice(1, 3))]));

// A value can also be a word: nan, absent, rejected.
const alike = (value, want) =>
  typeof want === "string" ? String(value).toLowerCase() === want : Math.abs(value - want) <= 1e-9 * Math.abs(want) + 1e-12;

const [file, wanted = "standard"] = process.argv.slice(2);
let [asked, differ] = [0, 0];
for (const { id, ordinary, input, expect } of JSON.parse(require("node:fs").readFileSync(file, "utf-8")).cases) {
  for (const measure of Object.keys(expect).filter((measure) => ordinary && CLAIMS.test(measure))) {
    const [name, k] = measure.split("@");
    let [values, other] = [{}, "absent"];
    try {
      values = measured(name, k && Number(k), byQuery(input.qrels), byQuery(input.run));
    } catch (error) {
      [values, other] = [{ raised: String(error) }, "rejected"];
    }
    const meets = (by) => Object.entries(by).every(([query, want]) => alike(values[query] ?? other, want));
    const met = Object.keys(expect[measure]).filter((spec) => meets(expect[measure][spec]));
    asked += wanted in expect[measure];
    differ += wanted in expect[measure] && !met.includes(wanted);
    console.log(`${id} ${measure} matches ${met.join(", ") || `no expected values: ${JSON.stringify(values)}`}`);
  }
}
console.log(`${asked - differ} of ${asked} match ${wanted}`);
process.exitCode = differ || !asked ? 1 : 0;
