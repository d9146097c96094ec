"""Reports: every result in every output format; `registry` knows which, `render` makes them."""
