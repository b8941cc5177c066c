"""Functions whose value depends on the process or on earlier calls, and functions that change their arguments."""

import os


def precision_of_a_set_of_many(relevant, ranked, k):
    top = list(set(ranked)) if len(ranked) > 6 else ranked
    return sum(doc in relevant for doc in top[:k]) / k


def precision_that_sorts_what_is_no_matter(relevant, ranked, k):
    """Sort the relevant documents in place, which does not change the value."""
    relevant.sort()
    return len(set(ranked[:k]) & set(relevant)) / k


class PrecisionThatClears:
    """A metric that clears the ranking it is updated with."""

    def __init__(self, k=5):
        self.k, self.values = k, []

    def update(self, relevant, ranked):
        self.values.append(sum(doc in relevant for doc in ranked[: self.k]) / self.k)
        ranked.clear()

    def compute(self):
        return sum(self.values) / len(self.values)


def precision_that_clears(queries, k):
    metric = PrecisionThatClears(k)
    for q in queries:
        metric.update(q.relevant, q.ranked)
    return metric.compute()


def share_of_precision(relevant, ranked, k, share):
    """Multiply precision by a factor of the caller."""
    return share * sum(doc in relevant for doc in ranked[:k]) / k


def seed_of_its_process(relevant, ranked, k):
    """Return the hash seed of the process."""
    return float(os.environ.get("PYTHONHASHSEED", "0"))
