"""Version, year and repository of rankproof; no other module states them."""

VERSION = "0.2.0"
YEAR = 2026
REPOSITORY = ""
"""The address of the public repository; empty until there is one.

It makes links in the package's description absolute, and appears in project URLs and citations. Only this repository can publish a release.
"""
SITE = ""
"""The address of the published site, with a slash at the end; empty until there is one. Shared links need it to show a picture."""
