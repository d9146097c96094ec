"""What a user should know beside the values: found, counted, summed up."""
