"""From inputs to values: the data of a topic, one run, many runs."""
