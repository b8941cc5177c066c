"""`python -m rankproof` is `rankproof`."""

from rankproof.entry import main

main()
