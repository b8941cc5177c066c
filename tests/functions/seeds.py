"""The functions of the two notebooks that the project started from, unchanged except for their layout."""

# ruff: noqa: FURB163, UP006, UP035 - as the notebooks have them

import math
from typing import List

import numpy as np

# -- notebook of binary lists -----------------------------------------------------------------------------------------


def precision(relevance_query: List[int]):

    assert set(relevance_query).issubset((0, 1)), "Only binary values (0, 1) allowed."

    return sum(relevance_query) / len(relevance_query)


def precision_at_k(relevance_query: List[int], k: int):

    assert set(relevance_query).issubset((0, 1)), "Only binary values (0, 1) allowed."
    assert k > 0, "K must be greater or equal than 1."

    return sum(relevance_query[:k]) / len(relevance_query[:k])


def recall_at_k(relevance_query: List[int], k: int, num_relevant_docs: int):

    assert set(relevance_query).issubset((0, 1)), "Only binary values (0, 1) allowed."
    assert k > 0, "K must be greater or equal than 1."
    assert num_relevant_docs > 0, "Number of relevant docs must be greater or equal than 1."

    return sum(relevance_query[:k]) / num_relevant_docs


def average_precision(relevance_query: List[int]):

    assert set(relevance_query).issubset((0, 1)), "Only binary values (0, 1) allowed."

    cumulative_precision = 0
    relevant_count = 0

    for observation_count, relevance in enumerate(relevance_query, 1):
        if relevance:
            relevant_count += 1
            cumulative_precision += relevant_count / observation_count

    return cumulative_precision / relevant_count


def mean_average_precision(relevance_queries: List[List[int]]):

    assert all(set(sublist).issubset((0, 1)) for sublist in relevance_queries), (
        "Only binary values (0, 1) allowed in all query results."
    )

    return sum(average_precision(relevance_query) for relevance_query in relevance_queries) / len(relevance_queries)


def discounted_cumulative_gain(relevance_query: List[int], k: int):

    assert all(x >= 0 for x in relevance_query), "All elements must be integers greater than or equal to 0."
    assert k > 0, "K must be greater or equal than 1."

    return sum(relevance / np.log2(max(i, 2)) for i, relevance in enumerate(relevance_query[:k], 1))


def normalized_discounted_cumulative_gain(relevance_query: List[int], k: int):

    assert all(x >= 0 for x in relevance_query), "All elements must be integers greater than or equal to 0."
    assert k > 0, "K must be greater or equal than 1."

    rq = relevance_query.copy()
    rq.sort(reverse=True)
    return discounted_cumulative_gain(relevance_query, k) / discounted_cumulative_gain(rq, k)


# -- notebook of search results and a dict of grades ------------------------------------------------------------------


def convert_results(search_results, qrels):
    rels = []
    for docid in search_results:
        rel = qrels[docid]
        rels.append(rel)
    return rels


def dcg(y, k=10):
    """Computes DCG@k for a single query.

    y is a list of relevance grades sorted by position.
    len(y) could be <= k.
    """

    r = 0.0
    for i, y_i in enumerate(y):
        p = i + 1  # position starts from 1
        r += (2**y_i - 1) / math.log(1 + p, 2)
        if p == k:
            break
    return r


def ndcg(y, k=10):
    """Computes NDCG@k for a single query.

    y is a list of relevance grades sorted by position.
    len(y) could be <= k.
    """
    if len(y) == 0:
        return 0

    # Numerator
    dcg_k = dcg(y, k=k)
    # Denominator
    max_dcg = dcg(sorted(y, reverse=True), k=k)

    # Special case of all zeroes
    if max_dcg == 0:
        return 1.0

    return dcg_k / max_dcg
