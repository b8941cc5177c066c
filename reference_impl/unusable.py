"""Base class of all errors caused by unusable input."""


class Unusable(ValueError):
    """Unusable input; the message states the problem, its place and the fix.

    Any other error, including a plain ValueError, is reported as a bug of rankproof.
    """
