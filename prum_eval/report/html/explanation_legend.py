"""What the signs of the drawing of an explanation say."""

from __future__ import annotations

from prum_eval.report.markup import Markup, fill

_LEGEND = '<ul class="legend" aria-label="Signs">\n{items}\n</ul>'
_ITEM = '<li><svg width="44" height="18" viewBox="0 0 44 18" aria-hidden="true">{sign}</svg>{said}</li>'
_SIGNS = {
    "a rank that reaches something": '<g class="rank"><circle cx="22" cy="9" r="5"/></g>',
    "a target, filled as far as it is seen in the end": (
        '<g class="target"><circle cx="14" cy="9" r="6"/><circle cx="32" cy="9" r="6" fill-opacity=".3"/></g>'
    ),
    "a target that is never reached": ('<g class="target missed"><circle cx="22" cy="9" r="6" fill-opacity="0"/></g>'),
    "a result of a rank": '<rect class="own" x="14" y="1" width="16" height="16"/>',
    "navigation, the wider the more probable": (
        '<path class="edge" stroke-width="3.6" d="M2 5H42"/><path class="edge" stroke-width="1" d="M2 13H42"/>'
    ),
    "what encloses": '<path class="branch" d="M10 2V12H26"/><circle class="plain" cx="10" cy="3" r="3"/>',
}
_LINK = '<path class="link" marker-end="url(#arrow)" d="M4 9H38"/>'


def legend(*, links: bool) -> Markup:
    """The list of signs; `links`: whether there are arrows among them."""
    shown = {**_SIGNS, **({"a link on the way": _LINK} if links else {})}
    return fill(_LEGEND, items=[fill(_ITEM, sign=Markup(sign), said=said) for said, sign in shown.items()])
