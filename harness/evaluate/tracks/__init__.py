"""Whole tracks: many runs against the same qrels, each measured by itself, here or elsewhere.

folders, globs, files ──► a task a run ──► this process, processes of this machine, or the workers of a Dask cluster
                              ▲                                       │
      results that were kept ─┘◄────────── one file a run ────────────┤
                                                                      ▼
                                                    results, as they come
"""
