"""What came out of the published run; shipped are the fingerprints, which are the profiles of libraries, and how often these hold."""
