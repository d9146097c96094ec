"""Real documents, XML or HTML: their trees, what of them counts, what they refer to."""
