"""Functions of arrays, independent of retrieval: count distributions, resampling, tests, estimation, curves."""
