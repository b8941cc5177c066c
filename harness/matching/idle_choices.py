"""Taking back what explains nothing: a choice without which no more is left unexplained."""

from collections.abc import Callable

from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions


def without_idle_choices(profile: Conventions, missed: Callable[[Conventions], int]) -> Conventions:
    """The profile as near to `standard` as it can be without leaving more unexplained, one axis after the other.

    >>> from rankproof.reference_impl.conventions import STANDARD
    >>> without_idle_choices(STANDARD.replace(gain="exp", ties="input"), lambda c: c.gain != "exp").spec()
    'gain=exp'

    Args:
        profile: what explains something.
        missed: how much it leaves unexplained.
    """
    fewest = missed(profile)
    for axis in STANDARD.differences(profile):
        without = profile.replace(**{axis: AXES[axis].default})
        if (left := missed(without)) <= fewest:
            profile, fewest = without, left
    return profile
