"""The columnar path of `evaluate`: whole columns at a time, in floats, for inputs that are large and in order.

    files, dicts, frames ──► columns ──► judged docs with their ranks ──► float forms of the formulas
                                 │                     │
                                 ▼                     ▼
                        the exact path        the readable formulas

Each step says what it knows: which forms of input, which conventions, which formulas. What it does not know is left to the
readable path, whole or for one measure or for single queries; so what nobody told it about is slow, and never wrong.
"""
