"""What a log holds: places of the collection, sessions, pairs of results and targets, steps; and what it lacks."""
