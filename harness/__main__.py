"""`python -m rankproof` is `rankproof`."""

from rankproof.cli import main

main()
