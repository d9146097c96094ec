"""From inputs to values: one topic's facts, one run, many runs."""
