"""Comparison of observed values with the reference, under `standard` and under the conventions of the library's sheet.

observation ──► reference ──► verdict ──► results, complaints, edits of the sheet
"""
