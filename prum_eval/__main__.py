"""``python -m prum_eval``: the same command line as ``prum-eval``."""

from prum_eval.cli.main import main

if __name__ == "__main__":
    main()
