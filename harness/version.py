"""The version of rankproof, and where and since when it is published: typed here and nowhere else."""

VERSION = "0.1.0"
YEAR = 2026
"""Of the version."""
REPOSITORY = ""
"""The address of the public repository; empty until there is one.

With it, links of the package's description are absolute, the package has project URLs, and a citation has an address.
A release is refused where it is not the address of the repository that releases.
"""
