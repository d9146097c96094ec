"""What was read, as frozen records of columns, free of any file syntax; no input or output here.

Conventions of every record here: integers are ``int64`` arrays, ``-1`` says "not given"; codes are positions in the
tuple of names beside them; lines are physical lines of the input, counted from 1. All offsets and lengths are in
characters. Element paths are normalised: every step carries its position, ``/article[1]/sec[2]``. Records of arrays are
equal to themselves only (``eq=False``): what compares arrays is no truth value.
"""
