"""Logs of users who follow a given model: what they consult, view and read, and where they stop."""
