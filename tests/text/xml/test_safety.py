"""What is refused or changed before the parser sees it, against expat; and texts in every encoding."""

from xml.parsers import expat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY
from prum_eval.text.xml import is_utf_8, parse_document, safe_chunks, utf_8_chunks

ENTITY = "<!ENTITY {} 'v'>"
MARKUP = st.sampled_from([
    "<!-- <!ENTITY a 'b'> -->", "<!-- ' -->", '<!-- " <a -->', "<?p <!ENTITY a 'b'> ?>", "<?p ' ?>", "\n", "\r\n",
])  # fmt: skip
DECLARATION = st.sampled_from([
    ENTITY.format("e"), ENTITY.format("% p"), "<!ENTITY x SYSTEM '/etc/hostname'>", "<!ENTITY l '&e;&e;&e;'>",
    "<!ELEMENT a ANY>", "<!ATTLIST a b CDATA 'ENTITY >' c CDATA \"'\">", "<!ATTLIST a d (x|y) 'x'>",
    "<!NOTATION n SYSTEM '<!--'>", "<!NOTATION m SYSTEM '-->'>", '<!NOTATION o SYSTEM "<!ENTITY q \'r\'>">',
])  # fmt: skip
SUBSETS = st.lists(st.one_of(MARKUP, DECLARATION), max_size=6, unique=True).map("".join)
PROLOGS = st.builds(
    "{}{}<!DOCTYPE a{} [{}]>{}".format,
    st.sampled_from(["", "<?xml version='1.0'?>", "<?xml version='1.0' standalone=\"no\" ?>"]),
    st.lists(MARKUP.filter(lambda text: not text.isspace()), max_size=2).map("".join),
    st.sampled_from(["", " SYSTEM 'nowhere.dtd'", " PUBLIC \"-//'\" '<!--'"]),
    SUBSETS,
    st.lists(MARKUP, max_size=2).map("".join),
)


def first_entity(text):
    """Name, whether it is a parameter's, and line of the first declared entity, as expat tells it; None without one."""
    parser, found = expat.ParserCreate(), []
    parser.EntityDeclHandler = lambda name, parameter, *_: found.append((name, parameter, parser.CurrentLineNumber))
    parser.Parse(text.encode(), True)  # noqa: FBT003 - the parser's signature
    return found[0] if found else None


def safe(chunks, *, alone=False):
    return b"".join(safe_chunks(utf_8_chunks(chunks, "d"), "d", standalone=alone))


@settings(max_examples=300)
@given(PROLOGS, st.booleans())
def test_entities_are_refused_where_expat_finds_one(prolog, alone):
    text = f"{prolog}<a>t</a>"
    entity = first_entity(text)
    if entity is None:
        assert safe([text.encode()], alone=alone).count(b"\n") == text.count("\n")  # lines stay where they are
        assert parse_document(text.encode(), "d").attrib == {}
        return
    name, parameter, line = entity
    kind = "parameter entity" if parameter else "entity"
    with pytest.raises(InputError) as error:
        safe([text.encode()], alone=alone)
    assert str(error.value) == f"d:{line}: declaration of the {kind} '{name}': entity declarations are refused{REMEDY}"


@settings(max_examples=200)
@given(PROLOGS, st.data())
def test_where_chunks_end_makes_no_difference(prolog, data):
    text = f"{prolog}<a b='\r'>\r\r\n</a>\r".encode()
    size = data.draw(st.integers(1, len(text)))
    head = len(text) if text.startswith(b"<?xml") else size  # the declaration stands in the first chunk
    chunks = [text[:head], *(text[at : at + size] for at in range(head, len(text), size))]

    def outcome(parts):
        try:
            return safe(parts)
        except InputError as error:
            return str(error)

    assert outcome(chunks) == outcome([text])


@given(PROLOGS, st.sampled_from(["<a>t</a>", "<a>\r\nt</a>", "<a>t"]))
def test_what_is_parsed_as_it_is_needs_no_change(prolog, body):
    text = (body if "ENTITY" in prolog else f"{prolog.partition('<!DOCTYPE')[0]}{body}").encode()
    if is_utf_8(text, "d"):
        assert safe([text]) == text


def test_a_bomb_is_refused_before_it_can_go_off():
    steps = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>\n" for n in range(1, 40))
    text = f"<!DOCTYPE a [<!ENTITY e0 'ha'>\n{steps}]><a b='&e39;'>&e39;</a>"
    with pytest.raises(
        InputError,
        match=rf"^d:1: declaration of the entity 'e0': entity declarations are refused{REMEDY}$",
    ):
        parse_document(text.encode(), "d")


def test_an_external_dtd_is_not_read(tmp_path):
    (tmp_path / "a.dtd").write_text("<!ENTITY e 'read'><!ATTLIST a b CDATA 'read'>")
    root = parse_document(f"<!DOCTYPE a SYSTEM '{tmp_path}/a.dtd'><a>&e;t</a>".encode(), "d")
    assert (root.attrib, "".join(root.itertext("*")), root[0].tail) == ({}, "", "t")


@pytest.mark.parametrize("blank", ["", " ", "\n "])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", [True, False])
def test_wide_letters_with_and_without_mark(encoding, blank, mark):
    text = ("\ufeff" if mark else "") + blank + "<a>größe <b/>水</a>"
    root = parse_document(text.encode(encoding), "d")
    assert "".join(root.itertext()) == "größe 水"
    assert len(root) == 1


@pytest.mark.parametrize(
    ("encoding", "word"),
    [("iso-8859-1", "größe"), ("windows-1252", "„größe“"), ("utf-7", "größe<"), ("shift_jis", "ソース"),
     ("gb18030", "水"), ("iso-2022-jp", "日本"), ("koi8-r", "вода"), ("US-ASCII", "a"), ("UTF8", "größe")],
)  # fmt: skip
def test_declared_encodings(encoding, word):
    text = f"<?xml version='1.0' encoding='{encoding}'?><a>{word.replace('<', '&lt;')}</a>"
    assert parse_document(text.encode(encoding), "d").text == word


@pytest.mark.parametrize("encoding", ["utf-16", "ebcdic-cp-be", "base64", "rot13", "nope"])
def test_encodings_that_are_not_known_or_not_true(encoding):
    said = f"d:1: the XML cannot be decoded: the declared encoding '{encoding}' is not known or not the true one"
    with pytest.raises(InputError) as error:
        parse_document(f"<?xml version='1.0' encoding='{encoding}'?><a/>".encode(), "d")
    assert str(error.value) == said


def test_bytes_that_the_encoding_does_not_have():
    with pytest.raises(InputError, match=r"^d:1: the XML cannot be decoded: 'utf-16-le' codec can't decode"):
        parse_document("<a>\n".encode("utf-16-le") + b"\x00\xd8<\x00", "d")
