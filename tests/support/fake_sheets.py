"""The head of a sheet of a library that does not exist."""

FAKE = """library = "fake"
title = "Fake"
homepage = "https://example.org"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "1"
"""
