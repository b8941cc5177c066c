"""Reference implementation of the measures, readable as their definition. It uses the standard library only.

    rows ──order──► tie groups ──cut──► top k ──judge──► grades ──measure──► a value per query ──aggregate──► the mean

- `ranking` orders, cuts and judges.
- `measures/` has the formulas, one file each, and `clustering/` those that compare labelings.
- `ties` computes means over the orders of tied documents.
- `evaluation` aggregates the queries.
- `conventions` defines every choice, and `profiles` the known sets of choices.
- `exact` has the numbers.
"""
