"""A Dask cluster of two worker processes, and what happens to it."""

import os
import signal
import sys

import cloudpickle
import distributed

# Workers can't import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def pids(dask):
    return set(dask.run(os.getpid).values())


class Death(distributed.WorkerPlugin):
    """Kills the first worker that begins its second task."""

    def __init__(self, marker, task="evaluate_chunk"):
        self.name, self.marker, self.task, self.begun = "death", str(marker), task, 0

    def transition(self, key, start, finish, **kwargs):
        if finish != "executing" or not str(key).startswith(self.task):
            return
        self.begun += 1
        if self.begun == 2:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)


def plugins(dask):
    """The names and identities of what is held on each worker."""

    def names(dask_worker):
        own = ((name, plugin) for name, plugin in dask_worker.plugins.items() if name.startswith("asanoha-"))
        return sorted((name, id(plugin.held)) for name, plugin in own)

    return dask.run(names)
