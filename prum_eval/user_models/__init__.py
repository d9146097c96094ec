"""User models: the probability that a user gets from a result to a target."""
