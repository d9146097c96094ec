"""Document trees as arrays, and places in them."""
