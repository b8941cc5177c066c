"""Inference: from what a library answered to the conventions it follows.

questions ──► search: the profile that explains most answers ──► findings: each other value excluded by a witness, or open
"""
