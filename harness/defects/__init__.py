"""Defects: known errors in metric functions. `rankproof check` reports a defect if it explains values that no conventions do.

A defect is a broken formula that is built on the correct one. Each file of the catalogue defines one defect or a few similar ones.
"""
