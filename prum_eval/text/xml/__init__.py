"""XML and HTML on lxml: bytes that are safe to parse, parsers, lines of tags, paths."""
