"""The beginning of a sheet for a library that does not exist."""

FAKE = """library = "fake"
title = "Fake"
homepage = "https://example.org"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "1"
"""
GOOD = f"""# a comment that a person wrote
{FAKE}
[profiles.v]
"*" = "trec_eval-9"           # another
"P@k" = "gain=exp"
"P(rel=2)@5" = "ties=best"

[[known]]
reason = "it cannot count"
link = "https://example.org/issues/1"
observed = '''
ties/straddles-cutoff v P@2 mean 0.25
ties/straddles-cutoff v AP mean ValueError: "quoted" \\ and 'more'
'''
"""
"""A sheet with claims of one variant, and an exception of two values."""
