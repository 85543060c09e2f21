"""Triples and panels on a real Dask cluster of two worker processes."""

import shutil
import sys

import cloudpickle
import numpy as np
import pytest
from dask_cluster import Death, pids, plugins
from variants import vcf

import asanoha.distributed as dist
from asanoha import genome, triples
from asanoha.exceptions import DataError, FormatError, PlanError

# Workers can't import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

TRIPLES = {"shape": (2, 1, 3), "bits": 64, "parties": 3}


def test_triples_of_workers_are_those_of_one_machine(dask, control, tmp_path):
    one, many = tmp_path / "one", tmp_path / "many"
    settings = {**TRIPLES, "count": 10_000}
    about = triples.generate(one, **settings)
    # The number of triples decides on the size of blocks.
    blocks = about.blocks
    assert blocks >= 4
    # A folder of the same seed, of which a killed call left one block.
    for name in ["manifest.json", "secret-seed", *(f"party-{party}/block-00000002" for party in range(3))]:
        (many / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(one / name, many / name)
    control.wait_for_workers(2, timeout=300)
    before = pids(control)
    control.register_plugin(Death(tmp_path / "dead", "make_block"))
    told = []
    try:
        found = dist.triples(dask, many, **settings, progress=lambda *counts: told.append(counts))
        assert (tmp_path / "dead").exists()
        control.wait_for_workers(2, timeout=300)
        assert pids(control) != before
    finally:
        control.unregister_worker_plugin("death")
    assert told == [(done, blocks) for done in range(2, blocks + 1)] and found.folder == many
    assert files_of(many) == files_of(one)
    assert triples.verify(many).count == settings["count"]
    # The seed leaves the workers, and finished folders need none.
    assert not any(name.startswith("asanoha-") for names in plugins(control).values() for name, _ in names)
    assert dist.triples(dask, many, **settings) == found


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_blocks_that_are_not_those_of_the_folder_are_not_written(dask, tmp_path, monkeypatch):
    folder = tmp_path / "triples"
    settings = {**TRIPLES, "count": 1}
    real = dask.submit

    def lying(function, name, block, **options):
        def alter(files):
            end = len(files) // TRIPLES["parties"]
            return files[: end - 1] + bytes([files[end - 1] ^ 1]) + files[end:]

        return real(alter, real(function, name, block), **options)

    monkeypatch.setattr(dask, "submit", lying)
    with pytest.raises(FormatError, match="was altered"):
        dist.triples(dask, folder, **settings)
    assert not list(folder.glob("party-*/*"))
    monkeypatch.undo()
    with pytest.raises(DataError, match="in_flight is 0"):
        dist.triples(dask, folder, **settings, in_flight=0)
    with pytest.raises(PlanError, match="1 parties"):
        dist.triples(dask, tmp_path / "other", **{**settings, "parties": 1})
    assert dist.triples(dask, folder, **settings).count == 1
    triples.verify(folder)


@pytest.mark.slow
def test_panels_over_workers_give_the_answers_of_one(dask, control, tmp_path):
    letters = np.random.default_rng(4).random((14, 6)) < 0.4
    path = tmp_path / "panel.vcf"
    path.write_text(vcf(letters, [f"s{at}" for at in range(7)]))
    panel = genome.Panel.read(path)
    owner = genome.Client.generate(6, 5)
    keys = owner.keys()
    parts = panel.split(3)
    asked = [letters[3] ^ np.eye(6, dtype=bool)[4]]
    control.wait_for_workers(2, timeout=300)
    control.register_plugin(Death(tmp_path / "dead", "answer_query"))
    try:
        shards = [parts[0], dask.submit(genome.Panel.from_bytes, parts[1].to_bytes()), parts[2]]
        queries = (owner.query(query) for query in asked)
        answers = list(dist.search(dask, keys, shards, queries, haplotypes=5, start=0))
        assert (tmp_path / "dead").exists()
    finally:
        control.unregister_worker_plugin("death")
    assert [len(each) for each in answers] == [3]
    for query, each in zip(asked, answers, strict=True):
        agree = np.cumprod(letters == query, axis=1).sum(axis=1)
        length = int(agree.max())
        count = int((agree == length).sum()) if length else 0
        assert owner.answer(each) == genome.Match(length, count)
    with pytest.raises(DataError, match="at least one Panel"):
        dist.search(dask, keys, [], [], haplotypes=5, start=0)
    with pytest.raises(DataError, match="at least one Panel"):
        dist.search(dask, keys, [panel.to_bytes()], [], haplotypes=5, start=0)
    with pytest.raises(FormatError, match="another shape"):
        next(dist.search(dask, keys, parts, [owner.query(asked[0])], haplotypes=6, start=0))
    with pytest.raises(FormatError, match="no request"):
        dist.search(dask, keys[:20], parts, [], haplotypes=5, start=0)
    with pytest.raises(FormatError, match="no query"):
        next(dist.search(dask, keys, parts, [b"query"], haplotypes=5, start=0))
