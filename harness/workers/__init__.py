"""Asking: every library in a worker of its own, its answers stored, what is claimed of it in a sheet.

cases ──► worker ──► observation ──► store
"""
