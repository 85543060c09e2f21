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
