"""Matching: whether conventions give what was answered. Judging, fingerprints, checks, defects, explanations and drift all stand on it.

input ──► reference answers, recalled ──► compared with a reading ──► the fewest changes that fit
"""
