"""Estimates the classical cost of hybrid dual attacks on LWE with a sparse ternary secret.

The attacks guess some of the secret's coordinates and reduce a lattice for the others: Albrecht, "On dual lattice attacks against
small-secret LWE and parameter choices in HElib and SEAL" (EUROCRYPT 2017). They differ in how they find the right guess:

* search: Espitau, Joux, Kharchenko, "On a dual/hybrid approach to small secret LWE" (INDOCRYPT 2020), which tries all guesses;
* meeting: Cheon, Hhan, Hong, Son, "A hybrid of dual and meet-in-the-middle attack on sparse and ternary secret LWE" (IEEE Access 2019);
* representations: Bi, Lu, Luo, Wang, "Hybrid dual and Meet-LWE attack" (ACISP 2022), which finds the guess by the algorithm Meet-LWE of
  May, "How to meet ternary LWE keys" (CRYPTO 2021), with its representations Rep-0 and Rep-1.

The model is that of the lattice estimator (Albrecht, Player, Scott, "On the concrete hardness of learning with errors", 2015, and later),
with the cost of the security table: 2^(0.292 β + 16.4) for each of the 8d calls of a sieve in block size β, in dimension d.

`representations` is simplified in the attacker's favour, so that its cost is a lower bound on the real one:

* Noise costs nothing. Meet-LWE has to guess errors, or to find near collisions; here every list is filtered as if samples were exact. A
  sample of deviation σ' (relative to the modulus) gives log2(1/(σ'·√(2πe))) bits of the guess, the capacity of its noise.
* A list element costs one operation for each sample. Sorting, memory and its access cost nothing.
* Lists have their expected sizes, and every representation is as likely to pass a filter as the first.
* The numbers of extra non-zero coordinates needn't be whole.

Rep-2, with coefficients ±2, isn't there: an extra ±2 stands on one of the few non-zero coordinates, so that it adds far fewer
representations than an extra pair ±1 on any of the zeros. The primal hybrid with Meet-LWE (Hhan, Kim, Lee, Son, "Let's meet ternary keys on
Babai's plane", ePrint 2022/1473) has the same lists, and pays for each element at least one step of Babai's algorithm, of d operations
instead of one for each of a few dozen samples. The reduction that it needs is as strong to within a few units of β.

    python3 sparse.py                # rows for security/sparse.rs
    python3 sparse.py N LOG2_Q       # one estimate, with its parameters
    python3 sparse.py N LOG2_Q H     # the same for a secret of H coefficients that aren't 0
"""

import functools
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
# Meet-LWE splits a guess into two vectors, and each of these again, at most so many times before its lists are of halves.
MOST_SPLITS = 3


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


def log2_vectors(length: float, weight: float) -> float:
    """Returns log2 of the number of ternary vectors of a weight."""
    return log2_binomial(length, weight) + weight


@functools.cache
def log2_lists(length: int, weight: int) -> float:
    """Returns log2 of the longest list of Meet-LWE for ternary vectors of a weight, and of the pairs that it makes of two lists.

    A vector of weight w is the sum of two of weight w/2 + e, in C(w, w/2)·C(length − w, e)·2^e ways: e coordinates of the first cancel
    against the second. Of each sum one representation is kept, by a filter on as many bits. So a list has all vectors of its weight
    over the ways. Its vectors are split again, and at the end into halves of the coordinates.
    """
    best = log2_vectors(length, weight) / 2

    def split(whole: float, filtered: float, longest: float, splits: int) -> None:
        """Splits vectors of weight `whole`, of which a filter of `filtered` bits is passed."""
        nonlocal best
        if splits > 0:
            vectors = log2_vectors(length, whole)
            best = min(best, max(longest, vectors / 2, vectors - filtered))
        if splits == MOST_SPLITS:
            return
        for extra in range(int(2 * whole) + 1):
            part = (whole + extra) / 2
            ways = log2_binomial(whole, whole / 2) + log2_binomial(length - whole, extra / 2) + extra / 2
            # A filter inside a filter has no more bits.
            ways = ways if splits == 0 else min(ways, filtered)
            parts = max(0.0, log2_vectors(length, part) - ways)
            pairs = parts if splits == 0 else 2 * parts - (filtered - ways)
            if max(longest, parts, pairs) < best:
                split(part, ways, max(longest, parts, pairs), splits + 1)

    split(weight, math.inf, 0.0, 0)
    return best


def log2_representations(length: int, weight: int, log2_deviation: float) -> float:
    """Returns log2 of the operations of Meet-LWE on samples of a deviation, in parts of the modulus."""
    bits = -log2_deviation - math.log2(2 * math.pi * math.e) / 2
    if bits <= 0:
        return math.inf
    samples = log2_vectors(length, weight) / bits
    return log2_lists(length, weight) + max(0.0, math.log2(samples))


@dataclass(frozen=True, order=True)
class Attack:
    log2_cost: float
    beta: float
    guessed: int
    weight: int
    dimension: float


def attack(n: int, log2_q: float, guessed: int, weight: int, beta: float, method: str) -> Attack:
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
    log2_size = log2_vectors(guessed, weight)
    half, of_half = guessed // 2, weight // 2
    split = log2_binomial(half, of_half) + log2_binomial(guessed - half, weight - of_half) - log2_binomial(guessed, weight)
    if method == "representations":
        work, samples = log2_representations(guessed, weight, log2_deviation), 0.0
    else:
        work, samples = (log2_meeting if method == "meeting" else log2_search)(log2_size, 2**log2_deviation, split)
    sieves = max(0.0, samples - VECTORS_EXPONENT * beta)
    reduction = log2_sum(log2_sieve(beta) + math.log2(8 * dimension), log2_sieve(beta) + sieves)
    placed = log2_binomial(rest, rest_weight) + log2_binomial(guessed, weight) - log2_binomial(n, WEIGHT)
    return Attack(log2_sum(work, reduction) + log2_repetitions(placed), beta, guessed, weight, dimension)


def best_beta(n: int, log2_q: float, guessed: int, weight: int, method: str) -> Attack:
    found = min(attack(n, log2_q, guessed, weight, beta, method) for beta in range(60, 900, 20))
    near = range(max(50, int(found.beta) - 20), int(found.beta) + 21, 2)
    return min(found, min(attack(n, log2_q, guessed, weight, beta, method) for beta in near))


def estimate(n: int, log2_q: float) -> tuple[Attack, str]:
    """Returns the cheapest attack and its name."""
    results = []
    for method in ("search", "meeting", "representations"):
        best = Attack(math.inf, 0, 0, 0, 0)
        low, high, steps = n // 16, n - n // 64, 24
        for _ in range(3):
            guesses = sorted({low + (high - low) * step // steps for step in range(steps + 1)})
            for guessed in guesses:
                for weight in range(2, WEIGHT - 1, 2):
                    best = min(best, best_beta(n, log2_q, guessed, weight, method))
            width = (high - low) // steps
            low, high, steps = max(1, best.guessed - width), min(n - 1, best.guessed + width), 8
        results.append((best, method))
    return min(results)


# log2 of the moduli that the table has.
TABLE = {15: (50, 65, 80, 90, 97, 105, 120, 140, 162), 16: (60, 80, 100, 120, 142, 170, 200, 230, 245, 285, 345)}


def main() -> None:
    global WEIGHT
    if len(sys.argv) >= 3:
        WEIGHT = int(sys.argv[3]) if len(sys.argv) > 3 else WEIGHT
        print(*estimate(int(sys.argv[1]), float(sys.argv[2])))
        return
    for log2_n, moduli in TABLE.items():
        for log2_q in moduli:
            print(f"(1 << {log2_n}, {log2_q}, {estimate(1 << log2_n, log2_q)[0].log2_cost:.1f}),", flush=True)


if __name__ == "__main__":
    main()
