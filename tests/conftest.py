"""What the tests of several rooms share."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write an input file and return its path."""

    def write(content, name="input"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.fixture
def problems_of():
    """Read an input like ``check`` and return all problems, without the path, as ``LINE: reason``."""

    def problems_of(read, path, **options):
        problems = []
        read(path, problems=problems.append, **options)
        assert {problem.path for problem in problems} <= {path}
        return [str(problem).removeprefix(f"{path}:").strip() for problem in problems]

    return problems_of
