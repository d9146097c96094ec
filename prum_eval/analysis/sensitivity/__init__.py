"""How sensitive runs and measures are to one parameter: means at its values, the order of runs, who changes places."""
