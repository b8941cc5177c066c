"""Evaluating: a person's own run by the reference.

any form of input ──► rows by query ──► values, by query and over all
"""
