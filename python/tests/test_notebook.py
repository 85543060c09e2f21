"""The notebook of the examples runs, and is stored without what it computes."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import asanoha

FOLDER = Path(__file__).resolve().parents[2] / "examples/notebooks"
NOTEBOOK = FOLDER / "score_classify_total.ipynb"


@pytest.fixture
def execute(monkeypatch, tmp_path):
    # The kernel imports the package that is tested, and reads nobody's settings.
    monkeypatch.setenv("PYTHONPATH", str(Path(asanoha.__file__).parents[1]))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    for folder in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(folder, str(tmp_path / folder))

    def run(notebook):
        place = {"metadata": {"path": str(FOLDER)}}
        return NotebookClient(notebook, kernel_name="python3", resources=place).execute()

    return run


def images(cell):
    return [output for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]


def test_every_cell_runs_and_both_plots_are_made(execute):
    notebook = execute(nbformat.read(NOTEBOOK, as_version=4))
    plotted = {cell.id: len(images(cell)) for cell in notebook.cells if images(cell)}
    assert plotted == {"plot-errors": 1, "plot-times": 1}
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


def test_a_cell_whose_claim_is_false_fails(execute):
    cell = nbformat.v4.new_code_cell(
        "assert asa.private(lambda x: {'y': x + 1})({'x': np.array([1])})['y'].values == 3"
    )
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells = [next(cell for cell in notebook.cells if cell.id == "imports"), cell]
    with pytest.raises(CellExecutionError, match="AssertionError"):
        execute(notebook)


def test_it_is_stored_without_outputs_and_no_cell_may_fail():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.metadata == {}, "a tag could let a cell fail"
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
