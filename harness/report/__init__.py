"""Reports: results as text, Markdown, JSON and pages; nothing else formats.

result objects ──► text of at most 12 lines, details, JSON
"""
