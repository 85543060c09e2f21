"""Ctrl-C and exceptions of progress end every stage, and leave plan, client and server as they were."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import asanoha as asa


@pytest.fixture(autouse=True)
def _interrupts_are_heard():
    # Whatever started the tests may ignore them, as a shell does in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


XS = np.array([3, -4, 0, 7, 2])

#: Without switches of threads, the second thread runs when the first one waits for the native part, so that the signal comes
#: while that works. A stage that ends before the signal comes is begun anew.
SCRIPT = """
import os, signal, sys, tempfile, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import asanoha as asa

schema = asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=5)
deep = asa.Schema({"a": asa.Whole(-(2**20), 2**20), "b": asa.Whole(1, 2**20)}, max_rows=5000)
plan = asa.plan("square = x * x", schema)
client = asa.Client.generate(plan)
server = asa.Server(plan, client.evaluation_keys())
data = {"x": np.array([1, 2, 3])}
plan_bytes, keys, inputs = plan.to_bytes(), client.evaluation_keys(), client.encrypt(data)
results = server.evaluate(inputs)
folder = tempfile.TemporaryDirectory()
client.save(folder.name)
other = {"x": np.array([5, 6])}
stages = {
    "planning": lambda: asa.plan("q = a // b", deep),
    "reading a plan": lambda: asa.Plan.from_bytes(plan_bytes),
    "key generation": lambda: asa.Client.generate(plan),
    "reading keys": lambda: asa.Server(plan, keys),
    "loading": lambda: asa.Client.load(plan, folder.name),
    "encryption": lambda: client.encrypt(other),
    "evaluation": lambda: server.evaluate(inputs),
    "decryption": lambda: client.decrypt(results, of=inputs),
}
stage = stages[sys.argv[1]]
gate, is_sent = threading.Event(), False

def send():
    global is_sent
    gate.wait()
    is_sent = True
    os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=send)
thread.start()
sys.setswitchinterval(1e6)
try:
    gate.set()
    while not is_sent:
        stage()
    raise SystemExit("the signal was lost")
except KeyboardInterrupt as interrupt:
    place = interrupt.__traceback__
    while place.tb_next:
        place = place.tb_next
    # It is raised by a native function, which the package calls.
    assert os.path.dirname(place.tb_frame.f_code.co_filename) == os.path.dirname(asa.__file__), place.tb_frame
sys.setswitchinterval(0.005)
thread.join()
# An encryption that ended before the signal came left the client two numbers of rows.
fresh = client.encrypt(data)
again = client.decrypt(server.evaluate(fresh), of=fresh)
assert again["square"].values.tolist() == [1, 4, 9]
assert client.decrypt(results, of=inputs)["square"].values.tolist() == [1, 4, 9]
assert asa.private("square = x * x")(data)["square"].values.tolist() == [1, 4, 9]
"""


@pytest.mark.parametrize(
    "stage",
    [
        "planning",
        "reading a plan",
        "key generation",
        "reading keys",
        "loading",
        "encryption",
        "evaluation",
        "decryption",
    ],
)
def test_ctrl_c_ends_every_stage_and_leaves_its_objects_usable(stage):
    done = subprocess.run([sys.executable, "-c", SCRIPT, stage], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


class Parties:
    """A plan, a client and a server, with inputs and results of theirs."""

    def __init__(self):
        self.plan = asa.plan(lambda x: {"square": x * x}, asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=len(XS)))
        self.client = asa.Client.generate(self.plan)
        self.server = asa.Server(self.plan, self.client.evaluation_keys())
        self.inputs = self.client.encrypt({"x": XS})
        self.results = self.server.evaluate(self.inputs)

    def stages(self):
        """What each stage does that takes `progress`."""
        return {
            "key generation": lambda progress: asa.Client.generate(self.plan, progress=progress),
            "encryption": lambda progress: self.client.encrypt({"x": XS[:2]}, progress=progress),
            "evaluation": lambda progress: self.server.evaluate(self.inputs, progress=progress),
            "decryption": lambda progress: self.client.decrypt(self.results, of=self.inputs, progress=progress),
        }

    def work(self):
        """Whether they still compute what is right."""
        decrypted = self.client.decrypt(self.server.evaluate(self.client.encrypt({"x": XS})))
        return decrypted["square"].values.tolist() == (XS * XS).tolist()


@pytest.fixture(scope="module")
def parties():
    return Parties()


STAGES = ["key generation", "encryption", "evaluation", "decryption"]


@pytest.mark.parametrize("stage", STAGES)
def test_an_exception_of_progress_ends_every_stage(parties, stage):
    class Enough(Exception):
        pass

    raised = Enough("that will do")

    def stop(done, steps):
        assert 0 <= done <= steps and steps > 0
        raise raised

    with pytest.raises(Enough) as caught:
        parties.stages()[stage](stop)
    assert caught.value is raised
    assert parties.work()


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_in_progress_is_a_keyboard_interrupt(parties, stage):
    told = []

    def interrupt(done, steps):
        told.append((done, steps))
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        parties.stages()[stage](interrupt)
    assert len(told) == 1
    assert parties.work()


def test_inputs_that_were_not_returned_are_not_remembered(parties):
    def interrupt(done, steps):
        raise KeyboardInterrupt

    client = asa.Client.generate(parties.plan)
    server = asa.Server(parties.plan, client.evaluation_keys())
    with pytest.raises(KeyboardInterrupt):
        client.encrypt({"x": XS[:2]}, progress=interrupt)
    # Results say which inputs they are of, and a client that knows one number of rows believes it.
    decrypted = client.decrypt(server.evaluate(client.encrypt({"x": XS})))
    assert decrypted["square"].values.tolist() == (XS * XS).tolist()
