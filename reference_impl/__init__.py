"""The reference implementation: what the measures are. Standard library only; reads as the definition.

    rows ──order──► tie groups ──cut──► top k ──judge──► rels ──measure──► a value a query ──aggregate──► the mean

`ranking` orders, cuts and judges; `measures/` has one formula a file; `ties` takes means over orders; `evaluation`
aggregates; `conventions` names every choice and `profiles` the known sets of them; `clustering/` compares labelings;
`exact` has the numbers.
"""
