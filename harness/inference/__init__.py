"""Inference of the conventions that a library follows, from its values.

cases ──► search: the profile that explains most values ──► findings: a case excludes each other choice, or the axis is open
"""
