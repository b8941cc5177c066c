# What the adapters in R share: the protocol of schemas/protocol.schema.json, and an input as R has it. Needs the package jsonlite alone.

unsupported <- function(why) stop(structure(class = c("unsupported", "error", "condition"), list(message = why, call = NULL)))

# Answer requests until `bye` or the end of the input. A library is a list of
#   name       that of its sheet
#   package    that of R, and debian, the package of Debian that brings it
#   variants   name -> what it is, measures: name -> notations, untold: name -> axes parted by blanks
#   observe    function(variant, name, k, data): list(per_query, mean), each NULL where the library has none
serve <- function(library) {
  lines <- file("stdin", open = "r", encoding = "UTF-8")
  repeat {
    line <- readLines(lines, 1, warn = FALSE)
    if (length(line) == 0) break
    if (!requireNamespace("jsonlite", quietly = TRUE)) {
      why <- "R has no package jsonlite: apt-get install r-cran-jsonlite, or install.packages('jsonlite')"
      seq <- sub('.*"seq": *([0-9]+).*', "\\1", line)
      cat(sprintf('{"seq": %s, "protocol": 1, "library": "%s", "not_installed": "%s"}\n', seq, library$name, why))
      next
    }
    request <- jsonlite::fromJSON(line, simplifyVector = FALSE)
    reply <- switch(request$op, hello = hello(library), observe = observe(library, request), list())
    cat(jsonlite::toJSON(c(list(seq = request$seq), reply), auto_unbox = TRUE, null = "null", json_verbatim = TRUE), "\n", sep = "")
    flush(stdout())
    if (request$op == "bye") break
  }
}

hello <- function(library) {
  said <- list(protocol = 1, library = library$name, variants = library$variants, measures = lapply(library$measures, as.list))
  if (!requireNamespace(library$package, quietly = TRUE)) {
    mend <- "R has no package %s: apt-get install %s, or install.packages('%s')"
    return(c(said, not_installed = sprintf(mend, library$package, library$debian, library$package)))
  }
  version <- as.character(utils::packageVersion(library$package))
  c(said, list(version = version, untold = library$untold, dependencies = list(R = as.character(getRversion()))))
}

observe <- function(library, request) {
  answers <- lapply(request$measures, function(measure) {
    parts <- strsplit(measure, "@", fixed = TRUE)[[1]]
    tryCatch({
      data <- as_vectors(request$input)
      found <- suppressWarnings(library$observe(request$variant, parts[1], as.numeric(parts[2]), data))
      list(per_query = if (is.null(found$per_query)) NULL else named(lapply(found$per_query, as_json)), mean = as_json(found$mean))
    }, unsupported = function(why) list(unsupported = conditionMessage(why)),
    error = function(raised) list(error = list(type = class(raised)[1], message = conditionMessage(raised))))
  })
  list(answers = named(stats::setNames(answers, unlist(request$measures))))
}

named <- function(values) if (length(values)) values else stats::setNames(list(), character())

# A number with all its digits; what JSON has no number for is text.
as_json <- function(value) {
  if (is.null(value)) return(NULL)
  if (is.nan(value)) return("nan")
  if (is.infinite(value)) return(if (value > 0) "inf" else "-inf")
  structure(sprintf("%.17g", value), class = "json")
}

# The rows of each query as vectors, ids as they come: judged, with doc and rel, and ranked, with doc and score; in the order of the rows.
as_vectors <- function(input) {
  if (!is.null(input$true)) unsupported("it measures rankings, not labelings")
  list(judged = by_query(input$qrels, input$empty_in_qrels, "rel"), ranked = by_query(input$run, input$empty_in_run, "score"))
}

by_query <- function(rows, empty, what) {
  of <- vapply(rows, function(row) as.character(row[[1]]), "")
  queries <- unique(c(of, vapply(empty, as.character, "")))
  stats::setNames(lapply(queries, function(query) {
    own <- rows[of == query]
    stats::setNames(list(unlist(lapply(own, `[[`, 2)), as.numeric(unlist(lapply(own, `[[`, 3)))), c("doc", what))
  }), queries)
}
