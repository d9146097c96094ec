"""From one form of a run, of judgements or of a structure to another, and what is lost on the way."""
