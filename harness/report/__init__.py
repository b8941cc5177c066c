"""Rendering of results: one module for each command, as text and JSON; nothing else formats.

result objects ──► text of at most 12 lines, details, JSON
"""
