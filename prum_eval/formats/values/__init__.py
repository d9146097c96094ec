"""Values by topic: what tools printed, and gold files."""
