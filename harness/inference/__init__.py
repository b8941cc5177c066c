"""Inference of the conventions that a library follows, from its values.

cases ──► search: the profile that explains most values ──► findings: cases exclude other choices, or the axis is open
"""
