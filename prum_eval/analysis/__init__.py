"""Runs beside each other: significance of differences, correlation of measures. Pure functions on arrays."""
