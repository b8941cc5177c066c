"""Functions whose answers hang on more than what they are asked."""

import os


def precision_of_a_set_of_many(relevant, ranked, k):
    top = list(set(ranked)) if len(ranked) > 6 else ranked
    return sum(doc in relevant for doc in top[:k]) / k


def precision_of_a_set(relevant, ranked, k):
    """The first of a set are others in each process."""
    return sum(doc in relevant for doc in list(set(ranked))[:k]) / k


def precision_that_pops(relevant, ranked, k):
    """What was popped is not there the second time."""
    return sum(ranked.pop(0) in relevant for _ in range(min(k, len(ranked)))) / k


def recall_that_removes(relevant, ranked, k):
    """What was found is not to be found again."""
    total, found = len(relevant), 0
    for doc in ranked[:k]:
        if doc in relevant:
            relevant.remove(doc)
            found += 1
    return found / total if total else 0.0


def precision_that_sorts_what_is_no_matter(relevant, ranked, k):
    """It changes its input, and its answer stays."""
    relevant.sort()
    return len(set(ranked[:k]) & set(relevant)) / k


class PrecisionThatClears:
    """What it was shown is empty when the next object is shown it."""

    def __init__(self, k=5):
        self.k, self.values = k, []

    def update(self, relevant, ranked):
        self.values.append(sum(doc in relevant for doc in ranked[: self.k]) / self.k)
        ranked.clear()

    def compute(self):
        return sum(self.values) / len(self.values)


def share_of_precision(relevant, ranked, k, share):
    """As steady as it is told to be: it has to be given a share."""
    return share * sum(doc in relevant for doc in ranked[:k]) / k


def seed_of_its_process(relevant, ranked, k):
    """By which its process orders sets; 0 where that is not said."""
    return float(os.environ.get("PYTHONHASHSEED", "0"))
