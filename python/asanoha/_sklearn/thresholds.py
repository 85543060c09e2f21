"""Thresholds of trees, and their indices among all thresholds of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.estimators import check_fitted, class_name

#: The most leaves of all trees together.
MAX_LEAVES = 1 << 10
#: Doubles.
Doubles = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Interval:
    """The bins of a column above one threshold and up to another, both by their indices; an end may be open."""

    feature: int
    above: int | None
    up_to: int | None


@dataclass(frozen=True)
class Leaf:
    """A leaf: the intervals that lead to it, and its node in scikit-learn's tree."""

    path: tuple[Interval, ...]
    node: int


def trees_of(estimator: Any, kind: str) -> list[Any]:
    """Returns scikit-learn's low-level trees of a fitted tree or forest.

    Raises
    ------
    EstimatorError
        If there are too many leaves, several outputs, or only trees that consist of one leaf.
    """
    members = estimator.estimators_ if hasattr(estimator, "estimators_") else [estimator]
    for member in members:
        check_fitted(member, "tree_")
    trees = [member.tree_ for member in members]
    if estimator.n_outputs_ != 1:
        raise EstimatorError(
            f"{kind} was fitted with {estimator.n_outputs_} outputs, and one is supported: fit one model for each "
            "output",
            estimator=kind,
        )
    leaves_so_far = np.cumsum([int(tree.n_leaves) for tree in trees])
    leaves = int(leaves_so_far[-1])
    if leaves > MAX_LEAVES:
        most_leaves, most_trees = MAX_LEAVES // len(trees), int((leaves_so_far <= MAX_LEAVES).sum())
        of_trees = f" in {len(trees)} trees" if len(trees) > 1 else ""
        advice = [f"n_estimators={most_trees}"] if most_trees > 0 else []
        advice += [f"max_leaf_nodes={most_leaves}"] if most_leaves > 1 else []
        raise EstimatorError(
            f"{class_name(estimator)} has {leaves} leaves{of_trees}, above the limit of {MAX_LEAVES}: fit it with "
            f"{' or '.join(advice)}",
            estimator=kind,
            leaves=leaves,
            limit=MAX_LEAVES,
        )
    if leaves == len(trees):
        raise EstimatorError(
            f"{kind} has no split, so that its result is the same for all rows and there is nothing to encrypt: fit it "
            "on data that its features explain",
            estimator=kind,
        )
    return trees


def thresholds_of(trees: Sequence[Any]) -> dict[int, Doubles]:
    """Returns the sorted distinct thresholds of all trees for every feature that they split."""
    by_feature: dict[int, set[float]] = {}
    for tree in trees:
        is_split = tree.children_left >= 0
        for feature, threshold in zip(tree.feature[is_split].tolist(), tree.threshold[is_split].tolist(), strict=True):
            by_feature.setdefault(feature, set()).add(threshold)
    return {feature: np.array(sorted(by_feature[feature])) for feature in sorted(by_feature)}


def leaves_of(tree: Any, thresholds: dict[int, Doubles], payloads: Sequence[Any]) -> list[Leaf]:
    """Returns the leaves of a tree, after subtrees whose leaves have equal payloads are made one leaf.

    Parameters
    ----------
    tree : object
        scikit-learn's low-level tree.
    thresholds : dict of int to array
        The sorted thresholds of every feature.
    payloads : sequence
        What each node stands for if it's a leaf.

    Returns
    -------
    list of Leaf
        Every row of bins is in exactly one of them.
    """
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    same: list[Any] = list(payloads)
    is_leaf = [child < 0 for child in left]
    # Children stand after their parents.
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0 and is_leaf[left[node]] and is_leaf[right[node]] and same[left[node]] == same[right[node]]:
            is_leaf[node], same[node] = True, same[left[node]]
    indices = [
        int(np.searchsorted(thresholds[feature], threshold)) if child >= 0 else 0
        for child, feature, threshold in zip(left, tree.feature.tolist(), tree.threshold.tolist(), strict=True)
    ]
    leaves: list[Leaf] = []
    waiting: list[tuple[int, dict[int, tuple[int | None, int | None]]]] = [(0, {})]
    while waiting:
        node, ends = waiting.pop()
        if is_leaf[node]:
            path = tuple(Interval(feature, *interval) for feature, interval in ends.items())
            leaves.append(Leaf(path, _first_leaf(node, left)))
            continue
        feature, index = int(tree.feature[node]), indices[node]
        above, up_to = ends.get(feature, (None, None))
        # The left side is on top, so that leaves come from left to right. A side without bins has no leaves.
        if up_to is None or index < up_to:
            waiting.append((right[node], {**ends, feature: (index if above is None else max(index, above), up_to)}))
        if above is None or index > above:
            waiting.append((left[node], {**ends, feature: (above, index if up_to is None else min(index, up_to))}))
    return leaves


def _first_leaf(node: int, left: Sequence[int]) -> int:
    """The leftmost leaf below a node."""
    while left[node] >= 0:
        node = left[node]
    return node
