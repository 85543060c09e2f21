"""One CKKS bootstrapping of OpenFHE with all 2^15 slots of the ring 2^16, as a line of JSON.

The number of threads is OpenMP's: set OMP_NUM_THREADS, or leave it out for one per core. Messages are complex, both
parts uniform in [-1, 1]. Bits are -log2 of the absolute error of a real or imaginary part: of the worst of them, and of
their mean. The processor's seconds are those of all threads.
"""

import argparse
import json
import math
import os
import resource
import statistics
import time
from dataclasses import dataclass

import numpy
import openfhe

RING_DEGREE = 1 << 16
SLOTS = RING_DEGREE // 2


@dataclass(frozen=True)
class Set:
    """Parameters of a bootstrapping: sizes of primes in bits, numbers of levels, digits of a key switch."""

    secret: openfhe.SecretKeyDist
    scaling_bits: int
    first_bits: int
    digits: int
    level_budget: tuple[int, int]
    levels_after: int


# A secret of weight 192, and one of weight 32 while the modulus is raised. As many levels as 128 bits of security leave.
SETS = {
    "encapsulated-55": Set(openfhe.SPARSE_ENCAPSULATED, 55, 60, 3, (3, 3), 5),
    "encapsulated-59": Set(openfhe.SPARSE_ENCAPSULATED, 59, 60, 4, (3, 3), 6),
}


def context(chosen: Set) -> openfhe.CryptoContext:
    """A context for 128 bits of security, or an exception of OpenFHE where the modulus is too large for that."""
    parameters = openfhe.CCParamsCKKSRNS()
    parameters.SetSecurityLevel(openfhe.HEStd_128_classic)
    parameters.SetRingDim(RING_DEGREE)
    parameters.SetBatchSize(SLOTS)
    parameters.SetSecretKeyDist(chosen.secret)
    parameters.SetScalingTechnique(openfhe.FLEXIBLEAUTO)
    parameters.SetScalingModSize(chosen.scaling_bits)
    parameters.SetFirstModSize(chosen.first_bits)
    parameters.SetKeySwitchTechnique(openfhe.HYBRID)
    parameters.SetNumLargeDigits(chosen.digits)
    parameters.SetCKKSDataType(openfhe.COMPLEX)
    depth = openfhe.CryptoContext.GetBootstrapDepth(chosen.level_budget, chosen.secret)
    parameters.SetMultiplicativeDepth(chosen.levels_after + depth)
    built = openfhe.GenCryptoContext(parameters)
    for feature in (openfhe.PKE, openfhe.KEYSWITCH, openfhe.LEVELEDSHE, openfhe.ADVANCEDSHE, openfhe.FHE):
        built.Enable(feature)
    return built


def run(name: str, runs: int) -> dict:
    chosen = SETS[name]
    cc = context(chosen)
    # As set: with FLEXIBLEAUTO no level is added.
    depth = chosen.levels_after + openfhe.CryptoContext.GetBootstrapDepth(chosen.level_budget, chosen.secret)

    start = time.perf_counter()
    cc.EvalBootstrapSetup(list(chosen.level_budget), [0, 0], SLOTS)
    setup_seconds = time.perf_counter() - start
    start = time.perf_counter()
    keys = cc.KeyGen()
    cc.EvalMultKeyGen(keys.secretKey)
    cc.EvalBootstrapKeyGen(keys.secretKey, SLOTS)
    key_seconds = time.perf_counter() - start

    uniform = numpy.random.default_rng().uniform
    message = uniform(-1, 1, SLOTS) + 1j * uniform(-1, 1, SLOTS)
    # A bootstrapping starts from one level, which it uses to bring the message to its scale.
    plaintext = cc.MakeCKKSPackedPlaintext(message, 1, depth - 1, None, SLOTS)
    input_modulus = plaintext.GetElementModulus()
    exhausted = cc.Encrypt(keys.publicKey, plaintext)

    seconds, cpu_seconds = [], []
    for _ in range(runs):
        start, cpu_start = time.perf_counter(), time.process_time()
        refreshed = cc.EvalBootstrap(exhausted)
        seconds.append(time.perf_counter() - start)
        cpu_seconds.append(time.process_time() - cpu_start)

    decrypted = cc.Decrypt(refreshed, keys.secretKey)
    decrypted.SetLength(SLOTS)
    error = numpy.asarray(decrypted.GetCKKSPackedValue()) - message
    error = numpy.abs(numpy.concatenate([error.real, error.imag]))
    # A rescaling that FLEXIBLEAUTO has put off counts as done.
    level = refreshed.GetLevel() + refreshed.GetNoiseScaleDeg() - 1
    modulus = cc.MakeCKKSPackedPlaintext(message, 1, level, None, SLOTS).GetElementModulus()
    return {
        "library": "openfhe",
        "set": name,
        "ring_degree": RING_DEGREE,
        "slots": SLOTS,
        "threads": int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count()),
        "seconds_min": min(seconds),
        "seconds_median": statistics.median(seconds),
        "cpu_seconds_min": min(cpu_seconds),
        "bits_worst": -math.log2(error.max()),
        "bits_mean": -math.log2(error.mean()),
        # Products until a bootstrapping has to start. OpenFHE counts the level it starts from too.
        "levels_left": depth - 1 - level,
        "modulus_bits_left": math.log2(modulus),
        "input_modulus_bits": math.log2(input_modulus),
        "scale_bits": chosen.scaling_bits,
        "key_seconds": key_seconds,
        "setup_seconds": setup_seconds,
        "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--runs", type=int, default=3, help="bootstrappings timed, at least 1")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    print(json.dumps(run(arguments.set, arguments.runs)), flush=True)


if __name__ == "__main__":
    main()
