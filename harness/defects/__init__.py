"""Defects: known errors in metric functions, and the search for a defect that explains values which no conventions explain.

A defect is a broken formula that is built on the correct one. Each file of the catalogue defines one defect or a few similar ones.
"""
