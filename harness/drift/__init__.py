"""Drift: what moved between two results files, and the conventions behind it.

changes ──► groups (guessing) ──► telling
"""
