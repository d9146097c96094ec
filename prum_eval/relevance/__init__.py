"""From assessments to gains and targets: quantisations, recall bases, target sets."""
