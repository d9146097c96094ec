"""The measures: one family a file, pure functions of a topic's data, and the registry that names them."""
