"""Trees and forests as functions of bins.

A tree is the sum over its leaves of an indicator times the leaf's value. The indicator is the conjunction of one
interval of bins for each column on the path, so that repeated splits of a column add nothing, and `n` intervals are
joined in ceil(log2 n) products. Joined prefixes of paths, intervals and comparisons are computed once. Exactly one
indicator of a tree is 1, so sums of doubles over the leaves of one tree are exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.model import Array, Model, Prediction, by_largest
from asanoha._sklearn.output_names import class_outputs
from asanoha._sklearn.thresholds import Doubles, Interval, Leaf, leaves_of, thresholds_of, trees_of
from asanoha._traced import Traced
from asanoha.exceptions import DataError

#: The largest scale of votes, 2^20.
MAX_SCALE = 1 << 20
#: A tree whose leaves are grouped by their values: each value with the paths of its leaves.
Grouped = tuple[tuple[Any, tuple[tuple[Interval, ...], ...]], ...]


@dataclass(frozen=True, kw_only=True)
class TreeModel(Model):
    """What trees have in common."""

    #: The sorted thresholds of every column, in the order of the columns.
    thresholds: Mapping[str, Doubles]
    #: The name of every feature.
    names: tuple[str, ...]

    def check(self, columns: Mapping[str, Any]) -> None:
        for name in self.columns:
            column, bins = columns[name], len(self.thresholds[name]) + 1
            dtype = getattr(column, "dtype", None)
            if dtype is not None and np.dtype(dtype).kind not in "iu":
                raise DataError(
                    f"column {name!r} has dtype {dtype}, and the function of {self.name} takes bins from 0 to "
                    f"{bins - 1}: pass what bin_by_thresholds gives, and declare the column as Whole in a schema",
                    column=name,
                    found=str(dtype),
                )
            if isinstance(column, np.ndarray) and column.size and not 0 <= column.min() <= column.max() < bins:
                row = int(np.argmax((column < 0) | (column >= bins)))
                raise DataError(
                    f"column {name!r} has {column[row]} in row {row}, and bins are from 0 to {bins - 1}: pass what "
                    "bin_by_thresholds gives",
                    column=name,
                    row=row,
                    value=int(column[row]),
                )


@dataclass(frozen=True, kw_only=True)
class TreeRegressor(TreeModel):
    """Predicts the mean of the trees' leaf values."""

    trees: tuple[Grouped, ...]

    def evaluate(self, columns: Mapping[str, Any]) -> list[Any]:
        indicators = Indicators(columns, self.names)
        total: Any = 0.0
        for tree in self.trees:
            # In scikit-learn's order of additions, so that the double is the same.
            total = total + indicators.weighted(tree)
        return [total / len(self.trees) if len(self.trees) > 1 else total]

    def predict(self, values: Sequence[Array], bounds: Sequence[float]) -> Prediction:
        return Prediction(values=values[0], is_uncertain=None, error_bound=bounds[0])


@dataclass(frozen=True, kw_only=True)
class TreeOfIndices(TreeModel):
    """Predicts the index of what a leaf stands for, which is looked up after decryption: a few whole numbers are fast."""

    tree: Grouped
    #: What the indices stand for.
    labels: Array
    #: What one of these is called.
    kind: str

    def evaluate(self, columns: Mapping[str, Any]) -> list[Any]:
        return [Indicators(columns, self.names).weighted(self.tree)]

    def predict(self, values: Sequence[Array], bounds: Sequence[float]) -> Prediction:
        last = len(self.labels) - 1
        indices = np.rint(values[0]).astype(np.int64)
        # The indices that the bound allows; one where it's below a half.
        least = np.maximum(np.ceil(values[0] - bounds[0]), 0)
        most = np.minimum(np.floor(values[0] + bounds[0]), last)
        if bounds[0] == 0 and ((indices < 0) | (indices > last)).any():
            raise EstimatorError(
                f"{self.outputs[0]} has {indices.min()} to {indices.max()}, and {self.name} has the {self.kind} 0 to "
                f"{last}: pass results of this function",
                estimator=self.name,
            )
        is_uncertain = (bounds[0] > 0) & (least != most)
        return Prediction(
            values=np.asarray(self.labels.take(np.clip(indices, 0, last))),
            is_uncertain=is_uncertain,
        )


@dataclass(frozen=True, kw_only=True)
class TreeClassifier(TreeOfIndices):
    """Predicts the index of the class in `classes_`."""

    def probabilities(self, values: Sequence[Array], bounds: Sequence[float]) -> tuple[Array, float]:
        raise EstimatorError(
            f"the prediction of {self.name} is a class: write output='predict_proba' in function for probabilities",
            estimator=self.name,
            output=self.output,
        )


@dataclass(frozen=True, kw_only=True)
class TreeVotes(TreeModel):
    """Counts votes for every class: the probabilities of the trees' leaves in whole multiples of 1/scale."""

    #: For every class the trees, whose values are the class's votes.
    trees: tuple[tuple[Grouped, ...], ...]
    labels: Array
    #: The votes of each tree.
    scale: int
    #: Whether every leaf's probabilities are multiples of 1/scale.
    is_exact: bool

    @property
    def tie_bound(self) -> float:
        """A difference of probabilities above which the class with most votes is scikit-learn's prediction."""
        trees = len(self.trees[0])
        return (0.0 if self.is_exact else 1 / self.scale) + (trees + 2) * 2.0**-52

    def evaluate(self, columns: Mapping[str, Any]) -> list[Any]:
        indicators = Indicators(columns, self.names)
        outputs: list[Any] = []
        for trees in self.trees:
            total: Any = 0
            for tree in trees:
                total = total + indicators.weighted(tree)
            outputs.append(total)
        return outputs

    def _votes(self, values: Sequence[Array], bounds: Sequence[float]) -> tuple[Array, list[float]]:
        """The votes and their bounds: votes are whole, so those of bounds below a half are exact."""
        are_known = [bound < 0.5 for bound in bounds]
        votes = [np.rint(value) if known else value for value, known in zip(values, are_known, strict=True)]
        return np.column_stack(votes), [0.0 if known else bound for bound, known in zip(bounds, are_known, strict=True)]

    def predict(self, values: Sequence[Array], bounds: Sequence[float]) -> Prediction:
        return by_largest(self.labels, *self._votes(values, bounds))

    def probabilities(self, values: Sequence[Array], bounds: Sequence[float]) -> tuple[Array, float]:
        votes, errors = self._votes(values, bounds)
        rounding = 0.0 if self.is_exact else 0.5 / self.scale
        all_votes = self.scale * len(self.trees[0])
        return np.asarray(votes / all_votes), max(errors) / all_votes + rounding


class Indicators:
    """Evaluates the leaves of trees on columns of bins; each comparison and conjunction is computed once."""

    def __init__(self, columns: Mapping[str, Any], names: Sequence[str]) -> None:
        self._columns = columns
        self._names = names
        self._comparisons: dict[tuple[int, int], Any] = {}
        self._joined: dict[tuple[Interval, ...], Any] = {}

    def weighted(self, tree: Grouped) -> Any:
        """The value of the leaf that each row is in; a plain number where all leaves have one value."""
        total: Any = None
        for value, paths in tree:
            if paths == ((),):
                return value
            count: Any = None
            for path in paths:
                # A number, because booleans are added as numpy adds them, by `or`.
                one = 1 * self._join(path)
                count = one if count is None else count + one
            part = value * count
            total = part if total is None else total + part
        return 0 if total is None else _bounded(total, tree)

    def _join(self, path: tuple[Interval, ...]) -> Any:
        """Whether all intervals hold. The first ones are as many as a power of two, so that paths share them."""
        if path not in self._joined:
            if len(path) == 1:
                self._joined[path] = self._interval(path[0])
            else:
                first = 1 << (len(path) - 1).bit_length() - 1
                self._joined[path] = self._join(path[:first]) & self._join(path[first:])
        return self._joined[path]

    def _interval(self, interval: Interval) -> Any:
        feature, above, up_to = interval.feature, interval.above, interval.up_to
        if above is None:
            assert up_to is not None
            return self._up_to(feature, up_to)
        is_above = ~self._up_to(feature, above)
        return is_above if up_to is None else self._up_to(feature, up_to) & is_above

    def _up_to(self, feature: int, index: int) -> Any:
        if (feature, index) not in self._comparisons:
            self._comparisons[feature, index] = self._columns[self._names[feature]] <= index
        return self._comparisons[feature, index]


def _bounded(total: Any, tree: Grouped) -> Any:
    """A traced sum over leaves with the range of one leaf; interval arithmetic adds up those of all leaves."""
    if not isinstance(total, Traced):
        return total
    from asanoha._functions import assume

    values = [value for value, _ in tree]
    # Leaves of 0 aren't in the tree.
    return assume(total, min(0, *values), max(0, *values))


def _grouped(leaves: Sequence[Leaf], values: Sequence[Any]) -> Grouped:
    """Leaves by their values; those of 0 are left out, because they add nothing."""
    groups: dict[Any, list[tuple[Interval, ...]]] = {}
    for leaf in leaves:
        value = values[leaf.node]
        if value != 0:
            groups.setdefault(value, []).append(leaf.path)
    return tuple((value, tuple(paths)) for value, paths in groups.items())


def tree_model(
    estimator: Any, kind: str, names: Sequence[str], output: str | None, *, encrypted: bool, decimals: int | None
) -> TreeModel:
    """Returns a fitted tree or forest.

    Parameters
    ----------
    estimator : object
        The model.
    kind : str
        Its class in scikit-learn.
    names : sequence of str
        The names of the features.
    output : str, optional
        What is asked; by default `predict`.
    encrypted : bool
        Whether probabilities are asked to be computed encrypted, as they always are.
    decimals : int, optional
        The decimals that the values of a regressor's leaves are rounded to.
    """
    output = output or "predict"
    is_classifier = kind.endswith("Classifier")
    if encrypted:
        raise EstimatorError(
            f"encrypted=True is for the sigmoid of linear models, and {kind} computes all but a division encrypted: "
            "leave it out",
            estimator=kind,
        )
    if output == "decision_function" or (output == "predict_proba" and not is_classifier):
        others = "output='predict' or output='predict_proba'" if is_classifier else "output='predict'"
        raise EstimatorError(f"{kind} has no {output}: write {others}", estimator=kind, output=output)
    trees = trees_of(estimator, kind)
    thresholds = thresholds_of(trees)
    common: dict[str, Any] = {
        "name": kind,
        "output": output,
        "columns": tuple(names[feature] for feature in thresholds),
        "names": tuple(names),
        "thresholds": {names[feature]: values for feature, values in thresholds.items()},
    }
    if not is_classifier and decimals is None and len(trees) == 1:
        leaf_values = trees[0].value[:, 0, 0]
        labels, indices = np.unique(leaf_values, return_inverse=True)
        return TreeOfIndices(
            **common,
            outputs=("value_index",),
            explanation="the number of the predicted value among the leaves' values, which finish_predict looks up",
            tree=_grouped(leaves_of(trees[0], thresholds, indices.tolist()), indices.tolist()),
            labels=labels,
            kind="values",
        )
    if not is_classifier:
        each = [[_rounded(value, decimals) for value in tree.value[:, 0, 0].tolist()] for tree in trees]
        grouped = [
            _grouped(leaves_of(tree, thresholds, values), values) for tree, values in zip(trees, each, strict=True)
        ]
        rounding = "" if decimals is None else f", of leaves rounded to {decimals} decimals"
        return TreeRegressor(
            **common,
            outputs=("prediction",),
            explanation=f"the predicted value{rounding}",
            trees=tuple(grouped),
        )
    if decimals is not None:
        raise decimals_refused(kind)
    labels = np.asarray(estimator.classes_)
    if output == "predict" and len(trees) == 1 and kind.startswith("DecisionTree"):
        classes: list[int] = np.argmax(trees[0].value[:, 0, :], axis=1).tolist()
        return TreeClassifier(
            **common,
            outputs=("prediction",),
            explanation="the index of the predicted class in classes_, which finish_predict looks up",
            tree=_grouped(leaves_of(trees[0], thresholds, classes), classes),
            labels=labels,
            kind="classes",
        )
    return _votes(trees, thresholds, labels, common)


def decimals_refused(kind: str) -> EstimatorError:
    """The refusal of decimals for a model without leaf values."""
    return EstimatorError(
        f"decimals rounds the leaf values of trees that predict numbers, and {kind} has none: leave it out",
        estimator=kind,
    )


def _rounded(value: float, decimals: int | None) -> float:
    return value if decimals is None else round(value, decimals)


def _votes(trees: Sequence[Any], thresholds: dict[int, Doubles], labels: Array, common: dict[str, Any]) -> TreeVotes:
    fractions = [_exact_fractions(tree) for tree in trees]
    known = [each for each in fractions if each is not None]
    exact = math.lcm(*(denominator for _, denominator in known)) if len(known) == len(trees) else 0
    is_exact = 0 < exact <= MAX_SCALE
    scale = exact if is_exact else MAX_SCALE
    votes: list[list[tuple[int, ...]]] = []
    for tree, each in zip(trees, fractions, strict=True):
        if is_exact and each is not None:
            votes.append([tuple(count * scale // total for count in counts) for counts, total in each[0]])
        else:
            votes.append([tuple(round(value * scale) for value in row) for row in _probabilities(tree).tolist()])
    leaves = [leaves_of(tree, thresholds, each) for tree, each in zip(trees, votes, strict=True)]
    by_class = tuple(
        tuple(_grouped(own, [row[index] for row in each]) for own, each in zip(leaves, votes, strict=True))
        for index in range(len(labels))
    )
    unit = "one vote of each tree" if scale == 1 else f"{scale} votes of each tree"
    rounding = "which are exact" if is_exact else f"which are rounded to whole multiples of 1/{scale}"
    return TreeVotes(
        **common,
        outputs=class_outputs("votes", labels),
        explanation=f"{unit}, divided among the classes by the leaves' probabilities, {rounding}",
        trees=by_class,
        labels=labels,
        scale=scale,
        is_exact=is_exact,
    )


def _probabilities(tree: Any) -> Doubles:
    """The probabilities of every node, which are counts in old versions of scikit-learn."""
    values: Doubles = tree.value[:, 0, :]
    totals = values.sum(axis=1, keepdims=True)
    return np.where(np.abs(totals - 1) < 1e-9, values, values / totals)


def _exact_fractions(tree: Any) -> tuple[list[tuple[tuple[int, ...], int]], int] | None:
    """The samples of every class and of all classes in every node, and the least denominator of all leaves' fractions.

    `None` where samples have weights that aren't whole numbers.
    """
    totals = tree.weighted_n_node_samples
    probabilities = _probabilities(tree)
    counts = np.rint(probabilities * totals[:, None])
    near = np.abs(counts / totals[:, None] - probabilities) <= 2.0**-52
    if (np.rint(totals) != totals).any() or (counts.sum(axis=1) != totals).any() or not near.all():
        return None
    whole = [(tuple(map(int, row)), int(total)) for row, total in zip(counts.tolist(), totals.tolist(), strict=True)]
    is_leaf = tree.children_left < 0
    leaves = [node for node, leaf in zip(whole, is_leaf.tolist(), strict=True) if leaf]
    return whole, math.lcm(*(total // math.gcd(total, *row) for row, total in leaves))
