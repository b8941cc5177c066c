"""The cutoff is ignored, so documents below rank k count.

    RR@1 of a ranking with the first relevant document at rank 2: 1/2 instead of 0.
    P@1 of two relevant documents, still divided by k: 2/1 instead of 1.

Source: the MRR of TF-Ranking had no cutoff and returned 1/4 at 3.
"""

from dataclasses import replace

from rankproof.defects.defect import Defect, Way, has_cutoff, seen_on, with_docs

DEFECT = Defect(
    "cutoff-ignored",
    "it ignores the cutoff",
    has_cutoff,
    (
        Way(
            seen_on("RR@1", "a0 b1", "1/2"),
            lambda right, ranking: right(replace(ranking, docs=ranking.all_docs, k=None)),
        ),
        Way(seen_on("P@1", "a1 b1", "2"), lambda right, ranking: right(with_docs(ranking, ranking.all_docs))),
    ),
    "https://github.com/tensorflow/ranking/issues/115",
    fix="use only the first k documents",
)
