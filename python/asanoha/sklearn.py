"""Models of scikit-learn as functions of encrypted columns.

Fitted estimators are recognised by the names of their classes: scikit-learn isn't imported. The weights of a model
stand in the plan and are public; the data aren't.
"""

from __future__ import annotations

from collections.abc import Sequence

from asanoha._sklearn.bins import bin_by_thresholds, tree_features
from asanoha._sklearn.bounded_array import BoundedArray
from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.estimators import TREES, feature_names, recognised, split_pipeline
from asanoha._sklearn.linear import linear_model
from asanoha._sklearn.model import Model
from asanoha._sklearn.model_function import ModelFunction
from asanoha._sklearn.trees import decimals_refused, tree_model

__all__ = ["BoundedArray", "EstimatorError", "ModelFunction", "bin_by_thresholds", "function"]

_OUTPUTS = ("decision_function", "predict", "predict_proba")
_MAX_DECIMALS = 9


def function(
    estimator: object,
    *,
    output: str | None = None,
    columns: Sequence[str] | None = None,
    encrypted: bool = False,
    decimals: int | None = None,
) -> ModelFunction:
    """Returns a function of columns that computes what a fitted estimator of scikit-learn computes.

    The function takes the columns by their names. `asanoha.plan` makes an encrypted program of it, and called with
    columns of numpy it computes the outputs in the clear. The weights stand in the plan and are public.

    Parameters
    ----------
    estimator : linear model, tree, forest, or Pipeline that ends with one
        LinearRegression, Ridge, Lasso, ElasticNet, LogisticRegression and RidgeClassifier, also with cross-validation;
        LinearSVC, LinearSVR, SGDClassifier and SGDRegressor; before them StandardScaler, MinMaxScaler, MaxAbsScaler,
        RobustScaler, OneHotEncoder, PolynomialFeatures and ColumnTransformer. DecisionTree, RandomForest and
        ExtraTrees, as classifiers and regressors of up to 1024 leaves together.
    output : {"decision_function", "predict", "predict_proba"}, optional
        `decision_function` gives the scores of a linear classifier, which is its default. `predict` is the default of
        regressors and trees. `predict_proba` gives scores or votes too, and `finish_proba` makes probabilities of them
        after decryption.
    columns : sequence of str, optional
        The names of the columns, in the order of the features. By default they are those that the estimator was fitted
        with, or `x0`, `x1`, ...
    encrypted : bool
        With `output="predict_proba"` and two classes, whether the sigmoid is computed encrypted, approximately. The
        output is then the probability of the second class.
    decimals : int, optional
        The decimals from 0 to 9 that the leaf values of trees that predict numbers are rounded to. A forest's prediction is then
        about a hundred times as fast, as the fast exact schemes compute it, and off by at most half a unit of the last
        decimal; by default it's approximated. A single tree's prediction is then the rounded value itself, for functions
        that compute with it; by default it's the number of the value, which `finish_predict` looks up.

    Returns
    -------
    ModelFunction
        The function. Its `finish_predict` and `finish_proba` make predictions and probabilities of decrypted outputs.

    Raises
    ------
    EstimatorError
        If the estimator isn't supported or fitted, or has no such output.

    Notes
    -----
    Outputs are `prediction` of a regressor, `value_index` of a single tree that predicts numbers, and `prediction_0`, ... of one with several targets; `decision` of two
    classes, above 0 for the second one, and `decision_<class>` of more.

    A scaler is folded into the weights by exact arithmetic on the doubles, and each folded weight is rounded once to
    the nearest double: it's off by less than scikit-learn's own rounding. A mean or median that a scaler subtracts from
    a column stays a subtraction, because folding it would lose digits where it's far larger than the spread. Weights in
    a plan are the shortest decimals of these doubles.

    Trees compare bins rather than values: pass data through `bin_by_thresholds` before encryption, and declare the
    columns as `Whole(0, f.kinds[name] - 1)`. The transformers of a pipeline before a tree are applied by
    `bin_by_thresholds` in the clear, and the function's columns are the features that they give. A single tree's
    output is the index of the class in `classes_`, `prediction`, or of the value among the sorted values of the leaves,
    `value_index`; `finish_predict` looks them up, and gives exactly scikit-learn's prediction. Whoever decrypts learns no more
    than the value. A forest of regressors gives the mean of the trees. `decimals` rounds values.

    Forests of classifiers, and `predict_proba` of trees, give `votes_<class>`: whole numbers, in which each tree
    divides `f.votes_scale` votes among the classes. They are exact where the fractions of all leaves have a common
    denominator of up to 2^20. Otherwise each fraction is rounded to a multiple of 2^-20. (Decimals of six digits would
    be rounded too, because a third has no finite decimal; sums of whole numbers add no further rounding.)
    `finish_predict` gives scikit-learn's class wherever the two largest probabilities differ by more than
    `f.tie_bound`: 2^-20 for rounded votes, plus (n + 2)·2^-52 for the rounding of scikit-learn's own sum over n trees.
    Equal sums give the first class, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from asanoha.sklearn import function
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:, :2], y)
    >>> f = function(model, columns=["radius", "texture"])
    >>> results = f(radius=X[:, 0], texture=X[:, 1])
    >>> bool(np.allclose(results["decision"], model.decision_function(X[:, :2]), rtol=1e-12, atol=1e-12))
    True
    >>> bool((f.finish_predict(results) == model.predict(X[:, :2])).all())
    True
    """
    if output is not None and output not in _OUTPUTS:
        raise EstimatorError(
            f"output is {output!r}: write {', '.join(map(repr, _OUTPUTS[:-1]))} or {_OUTPUTS[-1]!r}", output=output
        )
    is_count = isinstance(decimals, int) and not isinstance(decimals, bool) and 0 <= decimals <= _MAX_DECIMALS
    if decimals is not None and not is_count:
        raise EstimatorError(f"decimals is {decimals!r}: write a whole number from 0 to {_MAX_DECIMALS}")
    steps, last = split_pipeline(estimator)
    kind = recognised(last, as_model=True)
    made: Model
    if kind in TREES:
        features = tree_features(steps, last, columns)
        made = tree_model(last, kind, features, output, encrypted=encrypted, decimals=decimals)
    else:
        if decimals is not None:
            raise decimals_refused(kind)
        features = feature_names(estimator, columns)
        made = linear_model(last, kind, steps, features, output, encrypted=encrypted)
    return ModelFunction(made, features)
