"""Reports: results as text, Markdown, JSON and web pages. All output of results is formatted here.

result objects ──► text of at most 12 lines, details, JSON
"""
