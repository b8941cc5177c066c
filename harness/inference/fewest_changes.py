"""The fewest changes of a profile under which the reference answers as somebody did: the one search for a few conventions.

It tries changes of one axis, then of two together, and so on, and stops at the first number of axes that suffices. Profiles that explain
many answers at once are found by `rankproof.inference.search`, which cannot try all sets of axes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

from rankproof.reference_impl.conventions import Conventions

Change = Mapping[str, str]
"""The axes that are changed, and to what."""


def changes_that_fit(
    base: Conventions, choices: Mapping[str, Sequence[str]], fits: Callable[[Conventions], bool], most: int
) -> Iterator[Change]:
    """The smallest changes of a profile that fit, the axes in the order given; nothing where none fits.

    >>> from rankproof.reference_impl.conventions import STANDARD
    >>> choices = {"gain": ["exp", "binary"], "ties": ["input"]}
    >>> list(changes_that_fit(STANDARD, choices, lambda c: c.gain == "exp" or c.ties == "input", 2))
    [{'gain': 'exp'}, {'ties': 'input'}]

    Args:
        base: the profile that is changed.
        choices: the values that are tried on each axis.
        fits: whether the reference answers under such a profile as is wanted.
        most: how many axes are changed together at most.
    """
    for size in range(1, min(most, len(choices)) + 1):
        found = False
        for change in _of_size(base, choices, size):
            if fits(base.replace(**change)):
                found = True
                yield change
        if found:
            return


def _of_size(base: Conventions, choices: Mapping[str, Sequence[str]], size: int) -> Iterator[dict[str, str]]:
    others = {axis: [v for v in values if v != getattr(base, axis)] for axis, values in choices.items()}
    for axes in combinations(choices, size):
        for values in product(*(others[axis] for axis in axes)):
            yield dict(zip(axes, values, strict=True))
