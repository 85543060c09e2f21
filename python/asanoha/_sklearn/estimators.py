"""Recognises estimators of scikit-learn by the names of their classes, without an import of scikit-learn."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError

#: Linear models that predict numbers, with the attribute that fitting adds.
REGRESSORS = dict.fromkeys(
    (
        "LinearRegression",
        "Ridge",
        "RidgeCV",
        "Lasso",
        "LassoCV",
        "ElasticNet",
        "ElasticNetCV",
        "LinearSVR",
        "SGDRegressor",
    ),
    "coef_",
)
#: Linear models that predict classes.
CLASSIFIERS = dict.fromkeys(
    (
        "LogisticRegression",
        "LogisticRegressionCV",
        "RidgeClassifier",
        "RidgeClassifierCV",
        "LinearSVC",
        "SGDClassifier",
    ),
    "coef_",
)
#: Trees and forests.
TREES = {
    "DecisionTreeClassifier": "tree_",
    "DecisionTreeRegressor": "tree_",
    "RandomForestClassifier": "estimators_",
    "RandomForestRegressor": "estimators_",
    "ExtraTreesClassifier": "estimators_",
    "ExtraTreesRegressor": "estimators_",
}
#: Transformers before a linear model.
TRANSFORMERS = {
    "StandardScaler": "n_samples_seen_",
    "MinMaxScaler": "scale_",
    "MaxAbsScaler": "scale_",
    "RobustScaler": "n_features_in_",
    "OneHotEncoder": "categories_",
    "PolynomialFeatures": "n_output_features_",
    "ColumnTransformer": "transformers_",
}
#: Steps that are refused with advice of their own.
_IMPUTERS = frozenset(["SimpleImputer", "KNNImputer", "IterativeImputer"])
_SUPPORTED = {**REGRESSORS, **CLASSIFIERS, **TREES, **TRANSFORMERS}
#: Methods whose results the functions reproduce: a subclass that overrides one computes something else.
_METHODS = ("decision_function", "_decision_function", "predict", "predict_proba", "transform")


def class_name(estimator: object) -> str:
    """The name of an estimator's class, for messages."""
    return type(estimator).__name__


def _classes(estimator: object) -> Iterator[type]:
    """Yields the classes of scikit-learn that an estimator is of, from the narrowest, until one overrides a method."""
    for kind in type(estimator).__mro__:
        if kind.__module__.partition(".")[0] == "sklearn":
            yield kind
        if any(method in vars(kind) for method in _METHODS):
            return


def is_kind(estimator: object, name: str) -> bool:
    """Whether an estimator is of a class of scikit-learn, and no subclass changes what it computes."""
    return any(kind.__name__ == name for kind in _classes(estimator))


def recognised(estimator: object, *, as_model: bool) -> str:
    """Returns the supported class of a fitted estimator.

    Parameters
    ----------
    estimator : object
        A model or a transformer of scikit-learn; no pipeline.
    as_model : bool
        Whether a model is wanted, rather than a transformer before one.

    Raises
    ------
    EstimatorError
        If its class isn't supported there, or it isn't fitted.
    """
    name = class_name(estimator)
    wanted = {**REGRESSORS, **CLASSIFIERS, **TREES} if as_model else TRANSFORMERS
    names = [kind.__name__ for kind in _classes(estimator)]
    supported = next((kind for kind in names if kind in wanted), None)
    if supported is None:
        raise EstimatorError(_unsupported(estimator, names, as_model=as_model), estimator=name)
    check_fitted(estimator, wanted[supported])
    return supported


def check_fitted(estimator: object, attribute: str) -> None:
    """Refuses an estimator without the attribute that fitting adds."""
    if getattr(estimator, attribute, None) is None:
        raise EstimatorError(
            f"{class_name(estimator)} isn't fitted: call fit(X, y) of the model or pipeline first, and pass the result",
            estimator=class_name(estimator),
        )


def _unsupported(estimator: object, names: Sequence[str], *, as_model: bool) -> str:
    """Why an estimator isn't supported, and what to do."""
    name = class_name(estimator)
    if isinstance(estimator, type):
        return f"{estimator.__name__} is a class: pass a fitted estimator, such as {estimator.__name__}().fit(X, y)"
    if getattr(estimator, "best_estimator_", None) is not None:
        return f"{name} is a search over estimators: pass its best_estimator_"
    if not as_model and any(kind in _IMPUTERS for kind in names):
        return (
            f"{name} can't be computed, because encrypted data have no missing values: fill them before encryption, "
            "fit the model on filled data, and pass it without this step"
        )
    if as_model and any(kind in TRANSFORMERS for kind in names):
        return f"{name} transforms data and predicts nothing: pass a pipeline that ends with a model"
    base = next((kind.__name__ for kind in type(estimator).__mro__ if kind.__name__ in _SUPPORTED), None)
    if base is not None and base != name:
        return f"{name} overrides a method of {base}, so the weights don't say what it computes: pass a fitted {base}"
    models = ", ".join([*REGRESSORS, *CLASSIFIERS, *TREES])
    if as_model:
        return f"{name} isn't supported: pass one of {models}, or a Pipeline that ends with one of them"
    return (
        f"{name} isn't supported before a linear model: use {', '.join(TRANSFORMERS)} or a Pipeline of them, or "
        "transform the data before encryption and pass the model alone"
    )


def split_pipeline(estimator: object) -> tuple[list[Any], Any]:
    """Returns the transformers of a pipeline, with nested pipelines resolved, and the model at its end.

    An estimator that is no pipeline has no transformers.
    """
    steps = pipeline_steps(estimator)
    if not steps:
        raise EstimatorError(
            f"{class_name(estimator)} ends with 'passthrough': pass a pipeline that ends with a model",
            estimator=class_name(estimator),
        )
    return steps[:-1], steps[-1]


def pipeline_steps(estimator: Any) -> list[Any]:
    """Returns the steps of a pipeline, with nested pipelines resolved and without those that change nothing."""
    if not is_kind(estimator, "Pipeline"):
        return [] if is_identity(estimator) else [estimator]
    steps: Sequence[tuple[str, object]] = estimator.steps
    return [inner for _, step in steps for inner in pipeline_steps(step)]


def is_identity(step: object) -> bool:
    """Whether a step of a pipeline or of a ColumnTransformer changes nothing."""
    if isinstance(step, str) or step is None:
        return step is None or step == "passthrough"
    return is_kind(step, "FunctionTransformer") and getattr(step, "func", None) is None


def feature_count(estimator: object) -> int:
    """The number of features that an estimator was fitted with."""
    return int(_first_attribute(estimator, "n_features_in_"))


def feature_names(estimator: object, columns: object = None) -> tuple[str, ...]:
    """Returns the names of the columns that an estimator takes.

    Parameters
    ----------
    estimator : object
        A fitted estimator or pipeline.
    columns : sequence of str, optional
        The names, in the order of the features. Without it they are those that the estimator was fitted with, or `x0`,
        `x1`, ...

    Raises
    ------
    EstimatorError
        If the estimator isn't fitted, or the names are too few, too many, repeated or no texts.
    """
    count = feature_count(estimator)
    if columns is None:
        known = _first_attribute(estimator, "feature_names_in_", required=False)
        return tuple(map(str, known)) if known is not None else tuple(f"x{index}" for index in range(count))
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise EstimatorError(f"columns is {columns!r}: write a list of {count} names, such as ['bmi', 'bp']")
    names = [str(name) if isinstance(name, str) else name for name in columns]
    for name in names:
        if not isinstance(name, str):
            raise EstimatorError(f"columns has {name!r}, and the names of columns are texts: write {str(name)!r}")
        if names.count(name) > 1:
            raise EstimatorError(f"columns has {name!r} twice: give every feature a name of its own")
    if len(names) != count:
        raise EstimatorError(
            f"columns has {len(names)} names, and {class_name(estimator)} was fitted with {count} features: give one "
            "for each",
            found=len(names),
            features=count,
        )
    return tuple(names)


def _first_attribute(estimator: object, attribute: str, *, required: bool = True) -> Any:
    """An attribute of an estimator, or of the first step of a pipeline that has it."""
    candidates = [estimator, *(pipeline_steps(estimator) if is_kind(estimator, "Pipeline") else [])]
    for candidate in candidates:
        value = getattr(candidate, attribute, None)
        if value is not None:
            return value
    if required:
        check_fitted(candidates[-1], attribute)
    return None


def are_parameters(names: Sequence[str]) -> bool:
    """Whether all names can name parameters of a Python function."""
    return all(name.isidentifier() and not keyword.iskeyword(name) for name in names)


def numbers(estimator: object, attribute: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Returns a fitted attribute as doubles, from a sparse matrix too.

    Raises
    ------
    EstimatorError
        If a number isn't finite.
    """
    value = getattr(estimator, attribute)
    dense = value.toarray() if hasattr(value, "toarray") else value
    array = np.asarray(dense, dtype=np.float64)
    if not np.isfinite(array).all():
        first = array[~np.isfinite(array)][0]
        raise EstimatorError(
            f"{attribute} of {class_name(estimator)} has {first}, which is no finite number: scale the data and fit it "
            "again",
            estimator=class_name(estimator),
        )
    return array
