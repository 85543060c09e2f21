"""What functions of scikit-learn's models refuse, and what they say to do."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model as linear
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, PolynomialFeatures, QuantileTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from asanoha.exceptions import AsanohaError
from asanoha.sklearn import EstimatorError, bin_by_thresholds, function

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:60, :3], Y[:60]
SIGN = (Y > 150).astype(int)
WINE_X, WINE_Y = load_wine(return_X_y=True)
RIDGE = linear.Ridge().fit(X, Y)
LOGISTIC = linear.LogisticRegression().fit(X, SIGN)
TREE = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Y)
CLASSES = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, SIGN)


def fitted(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


class Doubled(linear.Ridge):
    """Predicts something other than its weights say."""

    def predict(self, X: Any) -> Any:
        return 2 * super().predict(X)


def refused(message: str, kind: type[AsanohaError] = EstimatorError, **options: Any) -> Any:
    return pytest.raises(kind, match="^" + re.escape(message))


def test_refusals_are_value_errors_with_figures() -> None:
    with pytest.raises(ValueError) as caught:
        function(linear.Ridge())
    assert isinstance(caught.value, EstimatorError) and caught.value.estimator == "Ridge"
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.estimator == "Ridge"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (linear.Ridge(), "Ridge isn't fitted: call fit(X, y) of the model or pipeline first, and pass the result"),
        (TREE.__class__(), "DecisionTreeRegressor isn't fitted"),
        (RandomForestRegressor(), "RandomForestRegressor isn't fitted"),
        (make_pipeline(StandardScaler(), linear.Ridge()), "Ridge isn't fitted"),
        (Pipeline([("a", StandardScaler()), ("b", RIDGE)]), "StandardScaler isn't fitted"),
        (Pipeline([("a", OneHotEncoder()), ("b", RIDGE)]), "OneHotEncoder isn't fitted"),
        (linear.Ridge, "Ridge is a class: pass a fitted estimator, such as Ridge().fit(X, y)"),
        (
            GradientBoostingRegressor().fit(X, Y),
            "GradientBoostingRegressor isn't supported: pass one of LinearRegression, Ridge, ",
        ),
        (linear.PoissonRegressor().fit(X, Y), "PoissonRegressor isn't supported"),
        (3, "int isn't supported: pass one of LinearRegression"),
        ("passthrough", "str ends with 'passthrough': pass a pipeline that ends with a model"),
        (Pipeline([("a", "passthrough")]), "Pipeline ends with 'passthrough'"),
        (
            StandardScaler().fit(X),
            "StandardScaler transforms data and predicts nothing: pass a pipeline that ends with a model",
        ),
        (make_pipeline(StandardScaler(), MinMaxScaler()).fit(X), "MinMaxScaler transforms data and predicts nothing"),
        (
            GridSearchCV(linear.Ridge(), {"alpha": [1, 2]}).fit(X, Y),
            "GridSearchCV is a search over estimators: pass its best_estimator_",
        ),
        (
            Doubled().fit(X, Y),
            "Doubled overrides a method of Ridge, so the weights don't say what it computes: pass a fitted Ridge",
        ),
        (
            make_pipeline(SimpleImputer(), linear.Ridge()).fit(X, Y),
            "SimpleImputer can't be computed, because encrypted data have no missing values: fill them before "
            "encryption, fit the model on filled data, and pass it without this step",
        ),
        (
            make_pipeline(QuantileTransformer(n_quantiles=9), linear.Ridge()).fit(X, Y),
            "QuantileTransformer isn't supported before a linear model: use StandardScaler, ",
        ),
        (
            make_pipeline(StandardScaler(), OneHotEncoder(), linear.Ridge()).fit(X, Y),
            "OneHotEncoder encodes feature 0 (from 0), which an earlier step computed: encode columns of the data",
        ),
        (
            make_pipeline(OneHotEncoder(), linear.Ridge()).fit(
                pd.DataFrame({"a": np.array(["x", None, "y"], object)}, dtype=object), [1, 2, 3]
            ),
            "OneHotEncoder knows the category None of column 'a', and encrypted columns have texts and numbers only",
        ),
        (
            make_pipeline(OneHotEncoder(), linear.Ridge()).fit(np.array([[1.0], [np.nan]]), [1, 2]),
            "OneHotEncoder knows the category nan of column 'x0'",
        ),
        (
            make_pipeline(OneHotEncoder(min_frequency=2), linear.Ridge()).fit(
                [["a"], ["a"], ["b"], ["c"]], [1, 2, 3, 4]
            ),
            "OneHotEncoder puts infrequent categories together, which isn't supported: fit it without min_frequency "
            "and max_categories",
        ),
        (
            Pipeline([("a", StandardScaler().fit(X)), ("b", PolynomialFeatures().fit(X)), ("c", RIDGE)]),
            "Ridge was fitted with 3 features, and the steps before it give 10: fit the pipeline as a whole",
        ),
        (
            Pipeline([("a", PolynomialFeatures().fit(X)), ("b", StandardScaler().fit(X)), ("c", RIDGE)]),
            "StandardScaler was fitted with 3 features and receives 10: fit the pipeline as a whole",
        ),
        (
            linear.Lasso(alpha=1e6).fit(X, Y),
            "Lasso has no weight other than 0, so that its result is the same for all rows and there is nothing to "
            "encrypt: fit it with a smaller penalty",
        ),
        (
            linear.RidgeClassifier().fit(X, np.c_[SIGN, 1 - SIGN, SIGN]),
            "RidgeClassifier was fitted with several labels for each row, and one is supported",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_estimators_are_refused(model: Any, message: str) -> None:
    with refused(message):
        function(model)


def test_weights_that_are_not_finite_are_refused() -> None:
    model = linear.Ridge().fit(X, Y)
    model.coef_ = np.array([1, np.nan, np.inf])
    with refused("coef_ of Ridge has nan, which is no finite number: scale the data and fit it again"):
        function(model)
    scaler = StandardScaler().fit(X)
    scaler.scale_ = np.full(3, 1e-300)
    model.coef_ = np.full(3, 1e300)
    huge = function(Pipeline([("a", scaler), ("b", model)]))
    with refused("a weight is near 2^1993 once the scalers are folded into it, above the largest double"):
        huge(**{f"x{place}": X[:, place] for place in range(3)})


def test_models_fitted_apart_or_of_several_outputs_are_refused() -> None:
    several = DecisionTreeRegressor(max_depth=2).fit(X, np.c_[Y, Y])
    with refused(
        "DecisionTreeRegressor was fitted with 2 outputs, and one is supported: fit one model for each output"
    ):
        function(several)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            RIDGE,
            {"output": "probability"},
            "output is 'probability': write 'decision_function', 'predict' or 'predict_proba'",
        ),
        (
            RIDGE,
            {"output": "decision_function"},
            "Ridge predicts numbers, and has no decision_function: write output='predict'",
        ),
        (
            RIDGE,
            {"output": "predict_proba"},
            "Ridge predicts numbers, and has no predict_proba: write output='predict' alone",
        ),
        (RIDGE, {"encrypted": True}, "Ridge predicts numbers, and has no probabilities: write output='predict' alone"),
        (
            LOGISTIC,
            {"output": "predict"},
            "LogisticRegression picks a class from scores, and only scores can be computed encrypted: write "
            "output='decision_function', and call finish_predict after decryption",
        ),
        (LOGISTIC, {"encrypted": True}, "encrypted=True computes probabilities: write output='predict_proba'"),
        (
            fitted(linear.LogisticRegression(), WINE_X, WINE_Y),
            {"output": "predict_proba", "encrypted": True},
            "encrypted=True computes one sigmoid, and LogisticRegression has 3 classes: leave it out, so that "
            "finish_proba computes",
        ),
        (
            LinearSVC().fit(X, SIGN),
            {"output": "predict_proba"},
            "LinearSVC has no probabilities: write output='decision_function', and call finish_predict for the classes",
        ),
        (
            linear.SGDClassifier().fit(X, SIGN),
            {"output": "predict_proba"},
            "SGDClassifier with loss='hinge' has no supported probabilities: fit it with loss='log_loss', or write "
            "output=",
        ),
        (
            TREE,
            {"output": "decision_function"},
            "DecisionTreeRegressor has no decision_function: write output='predict'",
        ),
        (TREE, {"output": "predict_proba"}, "DecisionTreeRegressor has no predict_proba: write output='predict'"),
        (
            CLASSES,
            {"output": "decision_function"},
            "DecisionTreeClassifier has no decision_function: write output='predict' or output='predict_proba'",
        ),
        (
            CLASSES,
            {"encrypted": True},
            "encrypted=True is for the sigmoid of linear models, and DecisionTreeClassifier computes",
        ),
        (TREE, {"decimals": 10}, "decimals is 10: write a whole number from 0 to 9"),
        (TREE, {"decimals": -1}, "decimals is -1: write a whole number from 0 to 9"),
        (TREE, {"decimals": 2.0}, "decimals is 2.0: write a whole number from 0 to 9"),
        (TREE, {"decimals": True}, "decimals is True: write a whole number from 0 to 9"),
        (
            CLASSES,
            {"decimals": 2},
            "decimals rounds the leaf values of trees that predict numbers, and DecisionTreeClassifier has none: leave",
        ),
        (RIDGE, {"decimals": 2}, "decimals rounds the leaf values of trees that predict numbers, and Ridge has none"),
        (
            RIDGE,
            {"columns": ["a", "b"]},
            "columns has 2 names, and Ridge was fitted with 3 features: give one for each",
        ),
        (RIDGE, {"columns": ["a", "b", "a"]}, "columns has 'a' twice: give every feature a name of its own"),
        (RIDGE, {"columns": ["a", "b", 3]}, "columns has 3, and the names of columns are texts: write '3'"),
        (RIDGE, {"columns": "abc"}, "columns is 'abc': write a list of 3 names, such as ['bmi', 'bp']"),
        (RIDGE, {"columns": 3}, "columns is 3: write a list of 3 names"),
    ],
)
def test_options_are_refused(model: Any, options: dict[str, Any], message: str) -> None:
    with refused(message):
        function(model, **options)


def test_a_sigmoid_of_two_scores_is_refused() -> None:
    model = linear.LogisticRegression().fit(X, SIGN)
    model.multi_class = "multinomial"
    with refused("LogisticRegression with multi_class='multinomial' has no sigmoid of its score for two classes"):
        function(model, output="predict_proba")


def test_large_trees_are_refused_with_their_leaves() -> None:
    x = np.arange(1100.0)[:, None]
    with refused(
        "DecisionTreeRegressor has 1100 leaves, above the limit of 1024: fit it with max_leaf_nodes=1024"
    ) as caught:
        function(DecisionTreeRegressor().fit(x, x[:, 0]))
    assert (caught.value.leaves, caught.value.limit) == (1100, 1024)
    forest = RandomForestRegressor(n_estimators=4, bootstrap=False).fit(x[:300], x[:300, 0])
    message = (
        "RandomForestRegressor has 1200 leaves in 4 trees, above the limit of 1024: fit it with n_estimators=3 or "
    )
    with refused(message + "max_leaf_nodes=256"):
        bin_by_thresholds(forest, x)
    assert function(RandomForestRegressor(n_estimators=4, max_leaf_nodes=256, bootstrap=False).fit(x, x[:, 0])).kinds
    many = RandomForestClassifier(n_estimators=520, max_leaf_nodes=2, bootstrap=False).fit(x[:9], np.arange(9) > 4)
    with refused(
        "RandomForestClassifier has 1040 leaves in 520 trees, above the limit of 1024: fit it with n_estimators=512"
    ):
        function(many)


def test_trees_without_splits_are_refused() -> None:
    with refused(
        "DecisionTreeRegressor has no split, so that its result is the same for all rows and there is nothing to "
        "encrypt"
    ):
        function(DecisionTreeRegressor().fit(X, np.ones(60)))
