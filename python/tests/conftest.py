"""Options of the tests."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests that take minutes, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        left_out = pytest.mark.skip(reason="slow")
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(left_out)


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two worker processes."""
    import distributed

    limits = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "memory_limit": "2GiB"}
    with distributed.LocalCluster(dashboard_address=None, **limits) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def control(cluster):
    """A client of `distributed`, by which tests look at the workers and kill them."""
    import distributed

    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def dask(cluster):
    """A connection to the cluster."""
    import asanoha.distributed

    with asanoha.distributed.connect(cluster) as connection:
        yield connection
