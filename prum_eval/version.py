"""Version of prum-eval, read by the package, the wheel and the signature."""

__version__ = "0.2.0"
