"""From one form of a run, of assessments or of a structure to another, and what is lost on the way."""
