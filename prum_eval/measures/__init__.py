"""The measures: one family a file, pure functions of a topic's facts, and the registry that names them."""
