"""Check of a user's function: which measure and conventions an explicit call of the function computes.

call and ingredients ──► values of each case ──► profile, faults ──► verdict ──► CheckResult
"""
