"""User models from what users did: parameters estimated from logs, with intervals, and how well they predict."""
