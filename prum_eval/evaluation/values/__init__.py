"""What the values of a run are computed of: topic by topic, or for all topics at once."""
