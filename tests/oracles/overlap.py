"""METRICS section 7 as it is written: gains of overlapping results, the ideal recall base, the cap."""

GEN = {(0, 0): 0, (1, 1): 0.25, (1, 3): 0.5, (2, 2): 0.5, (3, 1): 0.75, (3, 3): 1}
"""Quantisation gen of 2003, as far as the collections use it."""


def naive_gains(elements, judged, ranked, alpha):
    """METRICS section 7, from sets of earlier results."""
    by_key = {element.key: element for element in elements}
    q = {key: GEN[pair] for key, pair in judged.items()}
    gains = []

    def seen(element):
        return element.key in earlier

    def holds_seen(element):
        return any(seen(inner) for inner in element.walk() if inner is not element)

    def rv(element):
        own = (1 - alpha) * q.get(element.key, 0)
        if not holds_seen(element):
            return q.get(element.key, 0)
        parts = [(own_of(child), child.length) for child in element.children]
        return alpha * (sum(gain * length for gain, length in parts) / element.length if element.length else 0) + own

    def own_of(child):
        return (1 - alpha) * q.get(child.key, 0) if seen(child) else rv(child)

    for rank, key in enumerate(ranked):
        earlier = set(ranked[:rank])
        element = by_key[key]
        covered = seen(element) or any(seen(outer) for outer in element.above())
        gains.append((1 - alpha) * q.get(key, 0) if covered else rv(element))
    return gains


def ideal_of(elements, judged, keep):
    """Keys of the ideal recall base, METRICS section 7."""
    q = {key: GEN[pair] for key, pair in judged.items()}
    relevant = [element for element in elements if q.get(element.key, 0) > 0]
    chosen = {}
    for element in relevant:
        if any(q.get(inner.key, 0) > 0 for inner in element.walk() if inner is not element):
            continue
        path = [*reversed([outer for outer in element.above() if q.get(outer.key, 0) > 0]), element]
        best = max(path, key=lambda step: q[step.key])
        chosen[best.key] = best
    inside = {key: [outer.key for outer in element.above() if outer.key in chosen] for key, element in chosen.items()}
    if keep == "shorter":
        return {key for key in chosen if not inside[key]}
    return chosen.keys() - {outer for outers in inside.values() for outer in outers}


def naive_capped(elements, judged, ranked, gains, ideal):
    by_key = {element.key: element for element in elements}
    left = {key: GEN[judged[key]] for key in ideal}
    cut = []
    for key, gain in zip(ranked, gains, strict=True):
        holder = next((outer.key for outer in by_key[key].above() if outer.key in left), None)
        if holder is not None:
            cut.append(min(gain, left[holder]))
            left[holder] -= cut[-1]
        else:
            cut.append(gain)
    return cut


def has_relevance(judged):
    return any(GEN[pair] > 0 for pair in judged.values())


def ranks(ranked):
    """All ranks of a list, as -m takes them."""
    return ",".join(str(k) for k in range(1, len(ranked) + 1))
