"""The report as a static site: pages that work from disk, readable without a script, better with one."""
