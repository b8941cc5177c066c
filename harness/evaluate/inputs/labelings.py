"""Two labelings of the same items: flat lists, arrays or series of labels."""

from collections.abc import Hashable
from typing import Any

from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.inputs.tables import as_list, is_column
from rankproof.text import as_written, number_of


def read_labelings(true: Any, predicted: Any) -> tuple[list[Hashable], list[Hashable]]:  # noqa: ANN401 - any sequences
    """The true and the predicted labels.

    Raises:
        BadInput: one is no flat sequence of labels, or they differ in length or in the order of their indexes.
    """
    if predicted is None:
        raise BadInput("the predicted labels", "they are missing: give two labelings of the same items")
    read = read_labels(true, "the true labels"), read_labels(predicted, "the predicted labels")
    if len(read[0]) != len(read[1]):
        what = f"{len(read[1])} beside {number_of(len(read[0]), 'true label')}; an item has one of each"
        raise BadInput("the predicted labels", what)
    refuse_other_order(true, predicted, "the predicted labels")
    return read


def read_labels(source: Any, name: str) -> list[Hashable]:  # noqa: ANN401 - any sequence
    """The labels of a flat sequence.

    Raises:
        BadInput: it is none, or a label is missing (None, NaN).
    """
    if not is_column(source) or hasattr(source, "columns"):
        raise BadInput(name, f"{type(source).__name__} is no list, array or series of labels")
    labels = as_list(source)
    for i, label in enumerate(labels, start=1):
        if is_column(label) or not isinstance(label, Hashable):
            raise BadInput(f"{name}, item {i}", f"the label is a {type(label).__name__}; a labeling is one flat list")
        if label is None or label != label:  # noqa: PLR0124 - only NaN differs from itself
            what = f"the label is {as_written(label)}; leave items without a label out of both"
            raise BadInput(f"{name}, item {i}", what)
    return labels


def index_of(source: Any) -> list[Any] | None:  # noqa: ANN401 - anything
    """The labels of the rows of a series or frame; None of anything else."""
    index = getattr(source, "index", None)
    return None if index is None or callable(index) else list(index)


def refuse_other_order(first: Any, second: Any, name: str) -> None:  # noqa: ANN401 - anything
    """Refuse two series whose rows go by different labels.

    Raises:
        BadInput: they do, so that by place and by label are two different answers.
    """
    indexes = index_of(first), index_of(second)
    if None not in indexes and indexes[0] != indexes[1]:
        raise BadInput(name, "its index is not that of the other series; align them, or give .to_numpy() of both")
