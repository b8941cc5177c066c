"""Separate processes for libraries and functions, a store for their values, and claim sheets about libraries.

cases ──► worker ──► observation ──► store
"""
