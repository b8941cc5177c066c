"""Evaluation of a user's runs by the reference.

any form of input ──► rows by query ──► values per query and means
"""
