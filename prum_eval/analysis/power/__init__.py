"""How well measures tell runs apart: discriminative power, swaps, errors and ties, by size of the topic set."""
