"""Many runs against the same qrels, each measured by itself, in several processes, with results that are kept."""
