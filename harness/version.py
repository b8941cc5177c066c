"""The version of rankproof, typed here and nowhere else."""

VERSION = "0.1.0"
