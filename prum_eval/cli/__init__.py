"""The command line: one command a file, thin; it parses options, calls, prints."""
