"""Defects: known errors in metric functions. `rankproof check` reports defects that explain otherwise unexplained values.

A defect is a broken formula that is built on the correct one. Each file of the catalogue defines one defect or a few similar ones.
"""
