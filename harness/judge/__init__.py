"""Judging: what was observed against the reference, under `standard` and under the conventions that the sheet claims.

observation ──► oracle ──► verdict ──► results, complaints, edits of the sheet
"""
