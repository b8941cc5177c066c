"""The columnar path of `evaluate`: whole columns at a time, in floats, for large inputs.

    columns as read ──► ids as numbers ──► ranks of judged docs ──► formulas in floats
                                                  │                        │
                                                  ▼                        ▼
                                           the exact path        the readable formulas

What columns do not know (a form of input, a convention, a formula) is left to the exact path, for one query, one measure, or as a whole.
"""
