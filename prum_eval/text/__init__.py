"""Bytes to fields: streams, lines, names and numbers, JSON, XML and HTML, element paths."""
