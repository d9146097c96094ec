"""Runs shared by processes of this machine or by the workers of a cluster."""
