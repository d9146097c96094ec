"""Experiments with measures and user models: simulation, sweeps, power, fitting, the gallery."""
