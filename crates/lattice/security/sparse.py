"""Estimates the classical cost of hybrid dual attacks on LWE with a sparse ternary secret.

The attacks guess some of the secret's coordinates and reduce a lattice for the others: Albrecht, "On dual lattice attacks against
small-secret LWE and parameter choices in HElib and SEAL" (EUROCRYPT 2017); Espitau, Joux, Kharchenko, "On a dual/hybrid approach to
small secret LWE" (INDOCRYPT 2020), which searches all guesses; Cheon, Hhan, Hong, Son, "A hybrid of dual and meet-in-the-middle attack on
sparse and ternary secret LWE" (IEEE Access 2019), which meets in the middle. The model is that of the lattice estimator (Albrecht, Player,
Scott, "On the concrete hardness of learning with errors", 2015, and later), with the cost of the security table: 2^(0.292 β + 16.4)
for each of the 8d calls of a sieve in block size β, in dimension d.

    python3 sparse.py            # rows for security/sparse.rs
    python3 sparse.py N LOG2_Q   # one estimate, with its parameters
"""

import math
import sys
from dataclasses import dataclass

WEIGHT = 32
ERROR_DEVIATION = math.sqrt(10.5)
SUCCESS = 0.99
# A sieve gives so many vectors, which are longer than the shortest by this factor.
VECTORS_EXPONENT, LENGTH = 0.2075, math.sqrt(4 / 3)
# Errors of a sample are taken to be within two deviations.
TAIL = math.erf(2 / math.sqrt(2))


def log2_binomial(n: float, k: float) -> float:
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2) if 0 <= k <= n else -math.inf


def log2_sum(*terms: float) -> float:
    top = max(terms)
    return top if math.isinf(top) else top + math.log2(sum(2 ** (term - top) for term in terms if top - term < 1000))


def log2_repetitions(log2_probability: float) -> float:
    """Returns log2 of how often something is repeated until it has succeeded with probability `SUCCESS`."""
    if log2_probability < -40:
        return math.log2(-math.log(1 - SUCCESS)) - log2_probability
    probability = 2**log2_probability
    return 0.0 if probability >= SUCCESS else math.log2(max(1.0, math.log(1 - SUCCESS) / math.log1p(-probability)))


def log2_root_hermite(beta: float) -> float:
    return math.log2(beta / (2 * math.pi * math.e) * (math.pi * beta) ** (1 / beta)) / (2 * (beta - 1))


def log2_sieve(beta: float) -> float:
    return 0.292 * beta + 16.4


def log2_search(log2_size: float, deviation: float, _: float) -> tuple[float, float]:
    """Returns log2 of the operations and of the samples for trying all guesses."""
    if deviation > 3:
        return math.inf, math.inf
    samples = 3 + 4 * math.pi**2 * deviation**2 / math.log(2) + math.log2(log2_size * math.log(2) + 5.3)
    return 1 + log2_size + samples, samples


def log2_meeting(log2_size: float, deviation: float, log2_split: float) -> tuple[float, float]:
    """Returns log2 of the operations and of the samples for a meeting in the middle, of two halves of equal weight."""
    width = 4 * deviation
    if width >= 1 or log2_size < 4:
        return math.inf, math.inf
    half = (log2_size + log2_split) / 2
    best = math.inf, math.inf
    start = half + math.log2(max(half, 2))
    for share in range(90, 131, 2):
        count = max(1.0, start * share / 100)
        look_ups = width * count
        search = half + log2_sum(1 + math.log2(count), look_ups, look_ups + half + math.log2(count) - count)
        work = log2_sum(half + 1 + math.log2(count), search)
        repeated = log2_repetitions(count * math.log2(TAIL) + log2_split)
        best = min(best, (work + repeated, math.log2(count)))
    return best


@dataclass(frozen=True, order=True)
class Attack:
    log2_cost: float
    beta: float
    guessed: int
    weight: int
    dimension: float


def attack(n: int, log2_q: float, guessed: int, weight: int, beta: float, meets: bool) -> Attack:
    """Returns the attack that guesses coordinates of which so many are not 0, with vectors by a block size."""
    rest, rest_weight = n - guessed, WEIGHT - weight
    spread = math.sqrt(rest_weight / rest)
    log2_ratio = math.log2(spread / ERROR_DEVIATION) + log2_q
    root = log2_root_hermite(beta)
    dimension = max(rest + 1, math.ceil(math.sqrt(rest * log2_ratio / root)))
    dimension = min(dimension, rest + n)
    log2_deviation = math.log2(LENGTH * spread) + root * dimension - log2_ratio * (dimension - rest) / dimension
    if log2_deviation > 2:
        return Attack(math.inf, beta, guessed, weight, dimension)
    log2_size = log2_binomial(guessed, weight) + weight
    half, of_half = guessed // 2, weight // 2
    split = log2_binomial(half, of_half) + log2_binomial(guessed - half, weight - of_half) - log2_binomial(guessed, weight)
    work, samples = (log2_meeting if meets else log2_search)(log2_size, 2**log2_deviation, split)
    sieves = max(0.0, samples - VECTORS_EXPONENT * beta)
    reduction = log2_sum(log2_sieve(beta) + math.log2(8 * dimension), log2_sieve(beta) + sieves)
    placed = log2_binomial(rest, rest_weight) + log2_binomial(guessed, weight) - log2_binomial(n, WEIGHT)
    return Attack(log2_sum(work, reduction) + log2_repetitions(placed), beta, guessed, weight, dimension)


def best_beta(n: int, log2_q: float, guessed: int, weight: int, meets: bool) -> Attack:
    found = min(attack(n, log2_q, guessed, weight, beta, meets) for beta in range(60, 900, 20))
    near = range(max(50, int(found.beta) - 20), int(found.beta) + 21, 2)
    return min(found, min(attack(n, log2_q, guessed, weight, beta, meets) for beta in near))


def estimate(n: int, log2_q: float) -> tuple[Attack, str]:
    """Returns the cheapest attack and its name."""
    results = []
    for meets, name in ((False, "search"), (True, "meeting")):
        best = Attack(math.inf, 0, 0, 0, 0)
        low, high, steps = n // 16, n - n // 64, 24
        for _ in range(3):
            guesses = sorted({low + (high - low) * step // steps for step in range(steps + 1)})
            for guessed in guesses:
                for weight in range(2, WEIGHT - 1, 2):
                    best = min(best, best_beta(n, log2_q, guessed, weight, meets))
            width = (high - low) // steps
            low, high, steps = max(1, best.guessed - width), min(n - 1, best.guessed + width), 8
        results.append((best, name))
    return min(results)


# log2 of the moduli that the table has.
TABLE = {15: (50, 75, 100, 120, 140, 150, 162, 175, 190, 220), 16: (100, 150, 200, 250, 290, 320, 345, 370, 400, 460)}


def main() -> None:
    if len(sys.argv) == 3:
        print(*estimate(int(sys.argv[1]), float(sys.argv[2])))
        return
    for log2_n, moduli in TABLE.items():
        for log2_q in moduli:
            print(f"(1 << {log2_n}, {log2_q}, {estimate(1 << log2_n, log2_q)[0].log2_cost:.1f}),", flush=True)


if __name__ == "__main__":
    main()
