"""What is made of values: runs compared, measures correlated, scores explained, gold values guarded."""
