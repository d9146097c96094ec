"""Reports as tables: for terminals, for Markdown, for papers."""
