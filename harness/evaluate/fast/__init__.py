"""The columnar path of `evaluate`: whole columns in floats, for large inputs. What it does not know is left to the exact path."""
