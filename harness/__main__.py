"""Entry point of `python -m rankproof`."""

from rankproof.entry import main

main()
