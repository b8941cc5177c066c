"""`python benchmarks/attacks`."""

from attacking import main

if __name__ == "__main__":
    main()
