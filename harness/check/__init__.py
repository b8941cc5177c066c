"""Checking: which measure and conventions a user's function computes, proved by an explicit call.

call and ingredients ──► values of each case ──► profile, faults ──► verdict ──► CheckResult
"""
