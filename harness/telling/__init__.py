"""Telling: what was found, for people and for programs.

the report in Markdown, the terminal, JUnit and step summaries, what each verb prints
"""
