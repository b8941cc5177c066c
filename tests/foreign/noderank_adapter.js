// An adapter in JavaScript: a small library of three measures, and the protocol. Needs nothing but Node.
"use strict";
const readline = require("node:readline");

// -- the library: the docs are ranked by score, ties by docid ascending; of two rows of a doc the last stands ---------

const bytes = (text) => Buffer.from(text, "utf-8");

function ranked(docs) {
  return [...docs].sort(([a, x], [b, y]) => (x === y ? Buffer.compare(bytes(a), bytes(b)) : x < y ? 1 : -1)).map(([doc]) => doc);
}

const isRelevant = (rels) => (doc) => (rels.get(doc) ?? 0) >= 1;
const sinning = process.argv.includes("--sin");

const library = {
  precision(docs, rels, k) {
    return docs.slice(0, k).filter(isRelevant(rels)).length / (sinning ? Math.min(k, docs.length || 1) : k);
  },
  success(docs, rels, k) {
    return docs.slice(0, k).some(isRelevant(rels)) ? 1 : 0;
  },
  reciprocalRank(docs, rels) {
    const at = docs.findIndex(isRelevant(rels));
    return at < 0 ? 0 : 1 / (at + 1);
  },
};

// The mean is of the queries that both have.
function evaluate(measure, qrels, run, k) {
  const perQuery = {};
  for (const [query, docs] of run) {
    if (qrels.has(query)) perQuery[query] = measure(ranked(docs), qrels.get(query), k);
  }
  const values = Object.values(perQuery);
  return { per_query: perQuery, mean: values.length ? values.reduce((a, b) => a + b) / values.length : "nan" };
}

// -- the adapter: translation, and nothing else -----------------------------------------------------------------------

const MEASURES = { "P@{k}": library.precision, "Success@{k}": library.success, RR: library.reciprocalRank };
const NAMED = { P: library.precision, Success: library.success, RR: library.reciprocalRank };

function byQuery(rows, empty) {
  const found = new Map(empty.map((query) => [String(query), new Map()]));
  for (const [query, doc, number] of rows) {
    if (!found.has(String(query))) found.set(String(query), new Map());
    found.get(String(query)).set(String(doc), asNumber(number));
  }
  return found;
}

// A score that JSON has no number for comes as text.
const asNumber = (value) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[value] ?? value;

function answer(measure, input) {
  if ("true" in input) return { unsupported: "noderank measures rankings, not labelings" };
  const [name, k] = measure.split("@");
  const [qrels, run] = [byQuery(input.qrels, input.empty_in_qrels), byQuery(input.run, input.empty_in_run)];
  return evaluate(NAMED[name], qrels, run, Number(k));
}

function reply({ op, variant, input, measures }) {
  if (op === "hello") {
    return {
      protocol: 1, library: sinning ? "nodesinner" : "noderank", version: "1.0",
      variants: { default: "maps of maps" }, measures: { default: Object.keys(MEASURES) },
      dependencies: { node: process.versions.node },
    };
  }
  if (op === "observe") return { answers: Object.fromEntries(measures.map((measure) => [measure, answer(measure, input)])) };
  return {};
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  process.stdout.write(JSON.stringify({ seq: request.seq, ...reply(request) }) + "\n");
});
