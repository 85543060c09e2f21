"""Settings and versions."""

from __future__ import annotations

import platform
import sys

import numpy as np

from asanoha import _asanoha
from asanoha.exceptions import AsanohaError

#: What the user set: None while nothing is.
chosen_threads: int | None = None


def set_config(*, threads: int | None = None) -> None:
    """Sets how asanoha works in this process.

    Parameters
    ----------
    threads : int, optional
        How many threads work; None for as many as there are cores.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.set_config(threads=1)
    >>> asa.set_config(threads=None)
    """
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise AsanohaError(f"threads is {threads!r}, and should be a whole number from 1 on, or None for all cores")
    global chosen_threads
    _asanoha.set_threads(threads or 0)
    chosen_threads = threads


def show_versions() -> None:
    """Prints the versions of asanoha, Python and NumPy, the kernels of this processor and the threads.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.show_versions()  # doctest: +ELLIPSIS
    asanoha ...
    """
    backend, threads = _asanoha.machine()
    print(f"asanoha {_asanoha.__version__}")
    print(f"python  {sys.version.split()[0]} ({platform.machine()}-{platform.system()})")
    print(f"numpy   {np.__version__}")
    print(f"kernels {backend}, {threads} threads")
