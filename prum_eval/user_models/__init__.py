"""User models: from (result, target) to the probability of getting there."""
