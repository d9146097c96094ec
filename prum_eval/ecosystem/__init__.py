"""prum-eval inside other libraries."""
