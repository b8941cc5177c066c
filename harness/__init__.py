"""rankproof: the conformance suite of ranking measures."""

__version__ = "0.1.0"
