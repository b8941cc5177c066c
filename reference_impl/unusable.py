"""What all errors have in common that are no fault of rankproof: what was given cannot be used."""


class Unusable(ValueError):
    """Something that was given cannot be used; the message is a fact, with the place and the mend.

    Any other error is a fault of rankproof, a bare ValueError too, and is told as one.
    """
