"""First passage in graphs of steps, by linear algebra on absorbing chains, with networkx and scipy."""

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve


def first_passage(edges, target):
    """{node: probability that a walk from it ever visits the target}, for a target other than the node itself.

    The target is made absorbing; what counts the visits to it, (I - P)^-1 e_target, is then the probability of one.
    """
    graph = nx.DiGraph()
    graph.add_node(target)
    graph.add_weighted_edges_from((a, b, p) for (a, b), p in edges.items() if p > 0)
    graph.remove_edges_from(list(graph.out_edges(target)))
    nodes = [*nx.ancestors(graph, target), target]
    steps = nx.to_scipy_sparse_array(graph.subgraph(nodes), nodelist=nodes, weight="weight", format="csc")
    arrival = np.zeros(len(nodes))
    arrival[-1] = 1.0
    visits = np.atleast_1d(spsolve(sparse.csc_array(sparse.identity(len(nodes)) - steps), arrival))
    return {node: float(value) for node, value in zip(nodes, visits, strict=True) if node != target}


def passage_in_steps(edges, target, steps):
    """{node: probability to visit the target within that many steps}: a lower bound that grows to the first one."""
    nodes = {node for pair in edges for node in pair} | {target}
    reached = {node: float(node == target) for node in nodes}
    for _ in range(steps):
        following = dict.fromkeys(nodes, 0.0)
        for (a, b), p in edges.items():
            following[a] += p * reached[b]
        reached = following | {target: 1.0}
    return {node: value for node, value in reached.items() if node != target}


def best_way(edges, source, target):
    """Largest product of probabilities on a way between two nodes, and the fewest steps of such a way."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((a, b, -float(np.log(p))) for (a, b), p in edges.items() if p > 0)
    cost = nx.dijkstra_path_length(graph, source, target)
    ways = nx.all_simple_paths(graph, source, target)
    equal = [len(way) - 1 for way in ways if nx.path_weight(graph, way, "weight") <= cost + 1e-9]
    return float(np.exp(-cost)), min(equal)
