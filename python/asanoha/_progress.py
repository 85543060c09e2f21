"""What hears of progress."""

from __future__ import annotations

from collections.abc import Callable

#: Is called with (done, all), or isn't there.
Progress = Callable[[int, int], object] | None
