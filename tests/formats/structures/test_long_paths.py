"""Deep structures whose paths take much more memory than their files."""

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure
from prum_eval.text import element_paths

DEPTH, LEAVES, LIMIT = 100, 50, 10_000
LINK = '<link path="/x" to="a"/>'


@pytest.fixture(autouse=True)
def few_characters(monkeypatch):
    monkeypatch.setattr(element_paths, "MAX_PATH_CHARACTERS", LIMIT)


def as_text(leaves):
    chain = ["/x[1]" * depth for depth in range(1, DEPTH + 1)]
    paths = [*chain, *(f"{chain[-1]}/x[{number}]" for number in range(1, leaves + 1))]
    return "".join(f"a\t{path}\t0\t0\n" for path in paths) + "b\t/x[1]\t0\t0\n"


def as_xml(leaves, link=""):
    element = '<element tag="x" start="0" length="0"'
    chain = f"{element}>\n" * DEPTH + f"{element}/>\n" * leaves + "</element>" * DEPTH
    return f'<collection><document id="a">\n{chain}{link}</document></collection>'


@pytest.mark.parametrize("content", [as_text, as_xml, lambda leaves: as_xml(leaves, LINK)])
def test_they_are_refused(write, problems_of, content):
    # The first 100 paths have 25,250 characters; each more has 505, from the tenth on 506. So 42 more pass the limit:
    # 46,493 of 10,000 + 142 * 256. The text is read in blocks, and the problem is on the last line of one.
    line, elements = (150, 150) if content is as_text else (143, 142)
    path = write(content(LEAVES), "structure")
    reason = f"the paths of {elements} elements have more than {LIMIT + 256 * elements} characters"
    assert problems_of(read_structure, path) == [f"{line}: {reason}"]
    with pytest.raises(InputError) as error:
        read_structure(path)
    assert str(error.value) == f"{path}:{line}: {reason}"


@pytest.mark.parametrize("content", [as_text, as_xml])
def test_few_of_them_are_read(write, content):
    assert len(read_structure(write(content(10), "structure")).documents["a"].paths) == DEPTH + 10
