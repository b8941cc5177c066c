# Metrics, a package of R: apk, mapk and f1 on vectors of ids, auc on labels and scores.
#
# The ids are put in order by descending score, ties in the order of the rows; relevant are the docs of rel 1 and more. Lists are aligned by
# place, so there is a ranking for each query of the qrels, without docs where the run has none. auc is given the rows of a query, an unjudged doc with label 0.
# Only mapk has a mean of its own.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "r_worker.R"))

relevant <- function(judged) judged$doc[judged$rel >= 1]
in_order <- function(rows) if (length(rows$doc)) rows$doc[order(rows$score, decreasing = TRUE, method = "radix")] else character()

metrics <- function(variant, name, k, data) {
  queries <- names(data$judged)
  if (variant == "rows") {
    label <- function(query) as.numeric(data$ranked[[query]]$doc %in% relevant(data$judged[[query]]))
    score <- function(query) data$ranked[[query]]$score
    return(list(per_query = sapply(names(data$ranked), function(query) Metrics::auc(label(query), score(query)), simplify = FALSE)))
  }
  actual <- lapply(data$judged, relevant)
  predicted <- lapply(stats::setNames(queries, queries), function(query) in_order(data$ranked[[query]]))
  if (name == "AP") {
    per_query <- sapply(queries, function(query) Metrics::apk(k, actual[[query]], predicted[[query]]), simplify = FALSE)
    return(list(per_query = per_query, mean = Metrics::mapk(k, unname(actual), unname(predicted))))
  }
  list(per_query = sapply(queries, function(query) Metrics::f1(actual[[query]], predicted[[query]]), simplify = FALSE))
}

serve(list(
  name = "r_metrics", package = "Metrics", debian = "r-cran-metrics", observe = metrics,
  variants = list(lists = "a vector of relevant ids and one of ranked ids for each query", rows = "a vector of labels and one of scores"),
  measures = list(lists = c("AP@{k}", "SetF"), rows = "AUC"),
  untold = list(
    lists = "order ties score score_sign infinite missing extra no_judgments relevant negative grades",
    rows = "ids relevant negative grades"
  )
))
