"""What a log holds: its places in the collection, its sessions, pairs of results and targets, steps, and what it lacks."""
