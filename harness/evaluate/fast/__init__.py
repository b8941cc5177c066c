"""The columnar path of `evaluate`: whole columns in floats for large inputs. The exact path does what it cannot do."""
