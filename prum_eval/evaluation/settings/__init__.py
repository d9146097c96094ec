"""The settings under which each measure is computed."""
