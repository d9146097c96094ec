"""XPath in which a name without prefix matches in any namespace."""

import re

import pytest
from lxml import etree

from prum_eval.errors import UsageError
from prum_eval.text.markup import XPathExpression, match_any_namespace

PLAIN = """<book id="b" div="1"><and/><sec id="s1"><title>One</title><p>a</p><p n="2">b<div>c</div></p><mod>3</mod>
</sec><sec id="s2" or="x"><p>d<text>e</text></p><sec.a-b><p>f</p></sec.a-b><div><div/>6</div></sec><or>2</or></book>"""
SPACED = re.sub("<book", "<book xmlns='urn:one'", re.sub("<sec ", "<q:sec xmlns:q='urn:two' ", PLAIN))
SPACED = SPACED.replace("</sec>", "</q:sec>")

EXPRESSIONS = [
    "//sec", "/book/sec", "//p", "//sec/p[1]", "//sec/p[2]", "(//p)[2]", "//p[last()]", "//sec[@id='s2']//p",
    "//p[../title]", "//p[ancestor::sec[title]]", "//sec[p and not(title)]", "//sec[p or title]", "//and", "/book/or",
    "//sec/*", "//*[self::p or self::title]", "//sec[count(p) = 1 + 1]", "//sec[count(p)*1=2]", "//sec[p[1] = 'a']",
    "//sec/child::p", "//p/parent::sec", "//p/following-sibling::p", "//p | //title", "//div/div", "div",
    "self::book", "//*[mod div 3 = 1]", "//*[or div or = 1]", "//*[mod mod mod = 0]", "//*[and and and]",
    "//sec[mod*mod=9]", "//*[*]", "//*[div = 6 and div div 2 = 3]", "//sec.a-b/p", "//sec[position() mod 2 = 1]",
    "//sec[- mod = -3]", "//sec[mod -1=2]", "//@id", "//sec/@id", "//p/@n", "//@*[name()='div']", "/book/@div",
    "//sec[@or]", "//sec[@or='x' or @id]", "//attribute::id", "//p/text()", "//text", "//text/text()",
    "//p[text()='d']", "//node()[self::title]", "//title/..", "//sec[starts-with(title, 'O')]",
    "//sec[contains(., 'd') or title='sec']", "//p[.='a']", "//sec[ p ] / p [ 1 ]", "descendant-or-self::sec",
    "//sec[2]/descendant::div[1]", "id('s1')|//title", '//p[preceding::title = "One"]',
    "//sec[title[starts-with(., concat('O', 'n'))]]/p", "//sec[boolean(p)]", "//*[name(..)='book'] | //p",
    "(//sec)[1]/p",
]  # fmt: skip


def where(nodes):
    """Places in the document: number of the element, and the name of the attribute or what the text is."""
    found = []
    for node in nodes:
        element = node.getparent() if isinstance(node, str) else node
        number = next(n for n, other in enumerate(element.getroottree().getroot().iter()) if other is element)
        found.append((number, str(node) if isinstance(node, str) else None))
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_means_in_namespaces_what_it_means_without(expression):
    """The same nodes in the same document with and without namespaces."""
    expected = where(etree.fromstring(PLAIN).xpath(expression))
    assert expected or expression.startswith(("div", "//*[or div or", "id("))
    for document in (PLAIN, SPACED):
        assert where(XPathExpression(expression).nodes(etree.fromstring(document))) == expected


@pytest.mark.parametrize(
    ("expression", "namespaces", "made"),
    [
        ("//a:b", {}, "//*[name()='a:b']"),
        ("//a:b", {"a": "u"}, "//a:b"),
        ("//@a:b", {}, "//@*[name()='a:b']"),
        ("//@xml:id", {}, "//@xml:id"),
        ("//a:*", {}, "//*[starts-with(name(), 'a:')]"),
        ("attribute :: a", {}, "attribute :: a"),
        ("child::a", {}, "child::*[local-name()='a']"),
        ("a[$b]", {}, "*[local-name()='a'][$b]"),
        ("'a'", {}, "'a'"),
        ("\u00e9t\u00e9/text()", {}, "*[local-name()='\u00e9t\u00e9']/text()"),
    ],
)
def test_rewritten(expression, namespaces, made):
    assert match_any_namespace(expression, namespaces) == made


def test_prefixes():
    """As given, or as the document has them."""
    root = etree.fromstring("<a xmlns:x='u' xmlns:y='u'><x:b/><y:b x:c='1'/></a>")
    assert len(XPathExpression("//x:b").nodes(root)) == 1
    assert len(XPathExpression("//x:b", (("x", "u"),)).nodes(root)) == 2
    assert len(XPathExpression("//z:b", (("z", "u"),)).nodes(root)) == 2
    assert XPathExpression("//@x:c").nodes(root) == XPathExpression("//@z:c", (("z", "u"),)).nodes(root) == ["1"]


WRONG = {
    "//p[": "'//p[' is not an XPath expression: Invalid expression",
    "": "'' is not an XPath expression: Invalid expression",
    "p q": "'p q' is not an XPath expression: Invalid expression",
    "count(": "'count(' is not an XPath expression: Invalid number of arguments",
    "foo()": "'foo()' is not an XPath expression: Unregistered function",
    "$p": "'$p' is not an XPath expression: Undefined variable",
    "count(//p)": "the XPath expression 'count(//p)' does not select elements or attributes",
    "'p'": "the XPath expression ''p'' does not select elements or attributes",
}


@pytest.mark.parametrize(("expression", "reason"), WRONG.items())
def test_refused(expression, reason):
    with pytest.raises(UsageError) as error:
        XPathExpression(expression).check()
    assert str(error.value) == reason


def test_refused_by_a_document_only():
    expression = XPathExpression("//p[foo()]")
    expression.check()
    with pytest.raises(UsageError, match=r"^'//p\[foo\(\)\]' is not an XPath expression: Unregistered function$"):
        expression.nodes(etree.fromstring("<p/>"))
