"""Parts of what there is to evaluate: some topics, results in judged documents."""
