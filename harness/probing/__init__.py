"""Probes: laws that hold whatever the right answer is, so that no oracle is needed.

A probe changes an input and says how the two answers must go together: the rows of a run in another order are the same run, a cutoff
beyond the end of the list cuts nothing, the truth as a prediction is worth 1. Where a library answers otherwise, that is a finding: what
its answer depends on, with the smallest input that shows it. Inputs without ties are asked first; so a finding that says "under
ties" was not met without them.

    inputs ──► changes ──► laws (asking) ──► findings ──► shrinking ──► telling, published
"""
