"""Documents as they are drawn: what encloses what, and in which order."""

from __future__ import annotations

from dataclasses import replace

from prum_eval.analysis.explanation import (
    Connection,
    Explanation,
    NamedLocation,
    Rank,
    ReachedTarget,
    Relation,
    Result,
    SeenCount,
    Target,
)
from prum_eval.report.html_explanation import FollowedLink, document_trees, explanation_page, followed_links
from prum_eval.report.layout import Layout

COUNT = SeenCount(1.0, 1, 1, (0.0, 1.0))


def explanation(targets, ranks):
    """Targets as (spot, ranks that reach it); ranks as spots, each reaching the first target."""
    reached = (ReachedTarget(1, 0.5, Connection(Relation.OTHER), 0.0, 0.5),)
    return Explanation(
        "1", "r", "run", "none", "ideal", "gen", None, (),
        tuple(Rank(k, (Result(location, True, k),), reached, COUNT, ()) for k, location in enumerate(ranks, 1)),  # noqa: FBT003
        tuple(Target(x, location, 1.0, 0.5, by) for x, (location, by) in enumerate(targets, 1)),
    )  # fmt: skip


def drawn(targets, ranks):
    one = explanation(targets, ranks)
    return [[(node.depth, node.label, node.targets, node.ranks) for node in nodes]
            for nodes in document_trees(one, one.ranks)]  # fmt: skip


def test_paths_lead_on_from_the_node_that_encloses_them():
    section, p2, p10 = (NamedLocation("d", f"/article[1]/sec[1]{more}") for more in ("", "/p[2]", "/p[10]"))
    assert drawn([(p2, (1,)), (p10, ())], [section, NamedLocation("d", "/article[1]"), p2]) == [
        [
            (0, "d", (), (2,)),  # the root element is the document
            (1, "sec[1]", (), (1,)),
            (2, "p[2]", (1,), (3,)),
            (2, "p[10]", (2,), ()),
        ]
    ]


def test_passages_lie_in_the_smallest_extent_that_holds_them():
    section = NamedLocation("d", "/article[1]/sec[1]", None, 10, 50)
    inner, across, point = (
        NamedLocation("d", None, None, 20, 10),
        NamedLocation("d", None, None, 50, 20),
        NamedLocation("d", None, None, 25, 0),
    )
    assert drawn([(inner, (1,)), (across, ()), (point, ())], [section]) == [
        [
            (0, "d", (), ()),
            (1, "sec[1]", (), (1,)),
            (2, "characters 20+10", (1,), ()),
            (3, "character @25", (3,), ()),
            (1, "characters 50+20", (2,), ()),
        ]
    ]


def test_documents_stand_in_the_order_in_which_the_ranks_get_there_and_unreached_ones_are_left_out():
    a, b, c = (NamedLocation(name) for name in "abc")
    assert [one[0][1] for one in drawn([(a, ()), (b, (2,)), (c, (1,))], [])] == ["c", "b"]


def test_links_on_the_way_are_drawn_with_the_places_that_they_join():
    way = ("b#/p[1]/s[2]", "c", "d#/p[1]/s[1]")
    one = explanation([(NamedLocation("d", "/p[1]/s[1]"), (1,))], [NamedLocation("b.html", "/p[1]/s[2]")])
    rank = replace(
        one.ranks[0], reached_targets=(ReachedTarget(1, 0.5, Connection(Relation.GRAPH, path=way), 0.0, 0.5),)
    )
    one = replace(one, ranks=(rank,))
    nodes = [[(node.label, node.name, node.ranks) for node in listed] for listed in document_trees(one, one.ranks)]
    assert nodes == [
        [("d", "d", ()), ("s[1]", way[2], ())],
        [("b", "b", ()), ("s[2]", way[0], (1,))],
        [("c", "c", ())],
    ]
    assert followed_links(one.ranks) == [
        FollowedLink(way[0], "c", (1,), (1,)),
        FollowedLink("c", way[2], (1,), (1,)),
    ]
    page = explanation_page(one, Layout())
    assert page.count('<path class="link" data-in="r1 t1"') == 2
    assert "link from c to d#/p[1]/s[1], followed from rank 1 to T1" in page
    assert "a link on the way" in page
    assert ">T1 by c</p>" in page
