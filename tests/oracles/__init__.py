"""Slow, literal computations of what prum-eval computes fast: written from the definitions, not from the code."""
