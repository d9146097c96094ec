"""What `check` looks at: how inputs fit together, grammars, texts."""
