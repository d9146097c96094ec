"""JSON: values, lines of it, whole columns of lines at once."""
