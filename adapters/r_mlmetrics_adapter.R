# MLmetrics, a package of R: AUC on scores and labels. It is given the rows of a query: a doc of rel 1 and more has label 1, any other, and an unjudged one, 0.
#
# Its PRAUC is no AP: it is the area below straight lines between the points of the curve. It has no mean over queries.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "r_worker.R"))

mlmetrics <- function(variant, name, k, data) {
  auc <- function(query) {
    rows <- data$ranked[[query]]
    judged <- data$judged[[query]]
    MLmetrics::AUC(rows$score, as.numeric(rows$doc %in% judged$doc[judged$rel >= 1]))
  }
  list(per_query = sapply(names(data$ranked), auc, simplify = FALSE))
}

serve(list(
  name = "r_mlmetrics", package = "MLmetrics", debian = "r-cran-mlmetrics", observe = mlmetrics,
  variants = list(rows = "a vector of scores and one of labels"), measures = list(rows = "AUC"),
  untold = list(rows = "ids relevant negative grades")
))
