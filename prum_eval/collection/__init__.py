"""Document trees as arrays, and locations in them."""
