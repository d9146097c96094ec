"""Bridges to other packages: ir_measures."""
