"""Reports for programs: JSON, CSV, JUnit, numbers of curves."""
