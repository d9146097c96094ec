"""Maxima, roots, survival and clustered variances: what estimates are made with."""
