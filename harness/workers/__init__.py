"""Workers: libraries and functions run in separate processes, their answers are stored, and sheets say what is claimed of libraries.

cases ──► worker ──► observation ──► store
"""
