"""Measures computations on 1, 2 and 4 Dask workers of this machine, and what a model of many machines needs.

    python bench/workers/measure.py --rows 1000000 --json workers.json

Encrypts all chunks first. Then each cluster evaluates the same chunks, and once all steps run, from columns to results. The
results of all clusters must be the same bytes.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import time
from collections import deque

import distributed
import numpy as np

import asanoha as asa
import asanoha.distributed as dist


def risk(age, bmi, pressure):
    z = 0.05 * (age - 50) + 0.1 * (bmi - 26) + 0.02 * (pressure - 94)
    probability = asa.sigmoid(z)
    return {"probability": probability, "mean": np.mean(probability)}


SCHEMA = {"age": asa.Whole(18, 99), "bmi": asa.Real(10, 60), "pressure": asa.Real(50, 150)}


def columns(rows):
    random = np.random.default_rng(1)
    return {
        "age": random.integers(18, 100, rows),
        "bmi": random.uniform(18, 45, rows),
        "pressure": random.uniform(60, 140, rows),
    }


def pieces(data, rows):
    count = len(data["age"])
    return [{name: values[at : at + rows] for name, values in data.items()} for at in range(0, count, rows)]


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def echo(chunk, size):
    return bytes(size)


def moved(connection, chunks, size, workers):
    """Moves as many bytes as the evaluation does, without evaluating."""
    waiting = deque()
    for chunk in chunks:
        waiting.append(connection.submit(echo, chunk, size))
        if len(waiting) >= 2 * workers:
            waiting.popleft().result()
    for future in waiting:
        future.result()


def cluster_of(workers):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="4GiB"
    )


def measure_cluster(workers, owner, keys, chunks, data, result_bytes):
    plan = owner.plan
    with cluster_of(workers) as cluster, dist.connect(cluster) as connection:
        # Each worker gets the keys and evaluates once.
        start_s, _ = timed(lambda: list(dist.evaluate(connection, plan, keys, chunks[:1])))
        digest = hashlib.sha256()

        def evaluate():
            for future in dist.evaluate(connection, plan, keys, chunks):
                digest.update(future.result())

        evaluate_s, _ = timed(evaluate)
        move_s, _ = timed(lambda: moved(connection, chunks, result_bytes, workers))
        all_s, _ = timed(lambda: dist.compute(connection, owner, data))
    return {
        "workers": workers,
        "keys_s": start_s,
        "evaluate_s": evaluate_s,
        "move_s": move_s,
        "all_steps_s": all_s,
        "results": digest.hexdigest(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--chunk-rows", type=int, default=1 << 15)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--json", help="also writes the figures to this file")
    options = parser.parse_args()

    data = columns(options.rows)
    plan = asa.plan(risk, asa.Schema(SCHEMA, max_rows=options.chunk_rows), scheme="ckks")
    print(plan)
    owner = asa.Client.generate(plan)
    keys = owner.evaluation_keys()
    asa.set_config(threads=1)
    encrypt_s, chunks = timed(lambda: [owner.encrypt(piece) for piece in pieces(data, options.chunk_rows)])
    local = asa.Server(plan, keys)
    local_s, results = timed(lambda: local.evaluate(chunks[0]))
    decrypt_s, _ = timed(lambda: owner.decrypt(results, of=chunks[0]))
    asa.set_config(threads=None)
    figures = {
        "machine": {"cores": os.cpu_count(), "asanoha": asa.__version__, "dask": distributed.__version__},
        "rows": options.rows,
        "chunk_rows": options.chunk_rows,
        "chunks": len(chunks),
        "bytes": {"keys": len(keys), "chunk": len(chunks[0]), "result": len(results)},
        "seconds_of_a_chunk_on_one_thread": {
            "encrypt": encrypt_s / len(chunks),
            "evaluate": local_s,
            "decrypt": decrypt_s,
        },
        "clusters": [],
    }
    for workers in options.workers:
        gc.collect()
        found = measure_cluster(workers, owner, keys, chunks, data, len(results))
        figures["clusters"].append(found)
        print(json.dumps(found))
    first = figures["clusters"][0]
    for found in figures["clusters"]:
        found["speedup"] = first["evaluate_s"] / found["evaluate_s"]
        found["speedup_of_all_steps"] = first["all_steps_s"] / found["all_steps_s"]
    assert len({found["results"] for found in figures["clusters"]}) == 1, "the results differ"
    fastest = min(found["move_s"] for found in figures["clusters"]) / len(chunks)
    seconds = figures["seconds_of_a_chunk_on_one_thread"]
    figures["threads_that_are_fed"] = {
        "by_bytes": seconds["evaluate"] / fastest,
        "by_a_thread_that_encrypts": seconds["evaluate"] / (seconds["encrypt"] + seconds["decrypt"]),
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
