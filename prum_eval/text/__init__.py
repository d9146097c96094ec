"""Bytes to fields: streams and compression, lines, numbers, JSON Lines, XML events, element paths."""
