"""From inputs to values: one topic's data, one run, many runs."""
