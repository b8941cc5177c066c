"""The website: results, libraries, conventions and the documentation as pages that work from disk."""
