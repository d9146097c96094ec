"""What the command eval does beside printing values: pages of the worst topics, runs one by one."""
