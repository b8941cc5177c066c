"""What came out of the published run; of these files the fingerprint is shipped, as the profiles of libraries are read from it."""
