"""How a measure answers to what can be wrong with a list: simulated runs on a small made-up collection."""
