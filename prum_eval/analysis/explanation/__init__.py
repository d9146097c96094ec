"""Why a topic has its score, rank by rank."""
