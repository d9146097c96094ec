"""The ideal recall base as it is worded, on element paths."""


def inside(inner, outer):
    """Is that element strictly inside the other?"""
    return inner.startswith(outer + "/")


def ideal_base(gains, keep):
    """Chosen paths; `gains` maps paths of one document to gains, 0 for what is not relevant."""
    relevant = [path for path, gain in gains.items() if gain > 0]
    chosen = set()
    for leaf in relevant:
        if any(inside(other, leaf) for other in relevant):
            continue
        on_path = [path for path in relevant if path == leaf or inside(leaf, path)]
        highest = max(gains[path] for path in on_path)
        chosen.add(min((path for path in on_path if gains[path] == highest), key=len))
    if keep == "shorter":
        return {path for path in chosen if not any(inside(path, other) for other in chosen)}
    return {path for path in chosen if not any(inside(other, path) for other in chosen)}
