"""Command line of prum-eval as ``python -m prum_eval``."""

from prum_eval.cli.main import main

if __name__ == "__main__":
    main()
