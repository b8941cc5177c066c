"""Static website: results, libraries, conventions and documentation as pages that need no server."""
