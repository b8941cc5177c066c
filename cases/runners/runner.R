# Runner of the exported cases: Rscript runner.R cases.json [CONVENTION].
# Exit code 1 if a value differs from the expected value of CONVENTION (default: standard).

# -- your measures: replace this example --------------------------------------------------------------------------------
CLAIMS <- "^(P@[0-9]+|(RR|nDCG)(@[0-9]+)?)$"

# Input: data frames by query, with columns doc and number (grade or score). Output: query -> value, and "mean".
measured <- function(name, k, qrels, run) {
  dcg <- function(rels) sum(rels / log2(seq_along(rels) + 1))
  found <- sapply(names(qrels), function(query) {
    judged <- qrels[[query]]
    rows <- if (query %in% names(run)) run[[query]] else judged[0, ]
    ranked <- rows$doc[order(rows$number, rows$doc, decreasing = TRUE, method = "radix")]
    rels <- head(judged$number[match(ranked, judged$doc)], k)
    rels[is.na(rels)] <- 0
    best <- dcg(head(sort(judged$number, decreasing = TRUE), k))
    first <- which(rels >= 1)[1]
    switch(name, P = sum(rels >= 1) / k, RR = if (is.na(first)) 0 else 1 / first, nDCG = if (best > 0) dcg(rels) / best else 0)
  })
  c(found, mean = mean(found))
}

# -- the runner --------------------------------------------------------------------------------------------------------
by_query <- function(rows) {
  frame <- data.frame(doc = sapply(rows, `[[`, 2), number = sapply(rows, `[[`, 3))
  split(frame, factor(sapply(rows, `[[`, 1), unique(sapply(rows, `[[`, 1))))
}

# A value can also be a word: nan, absent, rejected.
alike <- function(value, want) {
  if (is.character(want)) tolower(value) == want else is.numeric(value) && isTRUE(abs(value - want) <= 1e-9 * abs(want) + 1e-12)
}

words <- commandArgs(trailingOnly = TRUE)
wanted <- c(words[-1], "standard")[1]
asked <- differ <- 0
for (case in jsonlite::read_json(words[1])$cases) for (measure in grep(CLAIMS, names(case$expect), value = TRUE)) {
  if (!case$ordinary) next
  parts <- strsplit(measure, "@")[[1]]
  values <- try(measured(parts[1], as.numeric(c(parts[-1], Inf)[1]), by_query(case$input$qrels), by_query(case$input$run)), silent = TRUE)
  value_of <- function(query) if (is.character(values)) "rejected" else if (query %in% names(values)) values[[query]] else "absent"
  meets <- function(by) all(mapply(function(query, want) alike(value_of(query), want), names(by), by))
  met <- names(Filter(meets, case$expect[[measure]]))
  asked <- asked + wanted %in% names(case$expect[[measure]])
  differ <- differ + (wanted %in% setdiff(names(case$expect[[measure]]), met))
  cat(case$id, measure, "matches", if (length(met)) toString(met) else c("no expected values:", values), "\n")
}
cat(asked - differ, "of", asked, "match", wanted, "\n")
quit(status = if (differ > 0 || asked == 0) 1 else 0)
