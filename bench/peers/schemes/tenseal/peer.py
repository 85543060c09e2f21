"""Operations of SEAL through `tenseal.sealapi`.

TenSEAL's own vectors have no rotation by one slot and choose when to rescale, so that operations could not be compared.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import tenseal
import tenseal.sealapi as seal
from protocol import PLAINTEXT_MODULUS, RING_DEGREE, answer, real_numbers, whole_numbers

# What the plaintext and the first noise take of BFV's modulus, and what each product takes, in bits: as few primes as give
# right results.
FIRST_BITS, PRODUCT_BITS = 53, 29
LARGEST_PRIME_BITS = 60


def prime_bits(scheme: str, depth: int, log2_scale: int) -> list[int]:
    """Returns the sizes of the ciphertext primes, and of the special prime, which has to be the largest."""
    if scheme == "ckks":
        first = min(log2_scale + 10, LARGEST_PRIME_BITS)
        return [first, *[log2_scale] * depth, first]
    bits = FIRST_BITS + PRODUCT_BITS * depth
    count = math.ceil(bits / (LARGEST_PRIME_BITS - 1))
    size = math.ceil(bits / count)
    return [*[size] * count, size + 1]


@cache
def context(scheme: str, depth: int, log2_scale: int) -> tuple[Any, list[int]]:
    """Returns SEAL's context and the primes."""
    name = seal.SCHEME_TYPE.CKKS if scheme == "ckks" else seal.SCHEME_TYPE.BFV
    parameters = seal.EncryptionParameters(name)
    parameters.set_poly_modulus_degree(RING_DEGREE)
    primes = seal.CoeffModulus.Create(RING_DEGREE, prime_bits(scheme, depth, log2_scale))
    parameters.set_coeff_modulus(primes)
    if scheme == "bfv":
        parameters.set_plain_modulus(PLAINTEXT_MODULUS)
    built = seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)
    if not built.parameters_set():
        raise ValueError(built.parameter_error_message())
    return built, [prime.value() for prime in primes]


class Party:
    """Keys, two operands, and the result of a chain."""

    def __init__(self, scheme: str, depth: int, log2_scale: int) -> None:
        built, _ = context(scheme, depth, log2_scale)
        self.is_ckks, self.depth, self.scale = scheme == "ckks", depth, 2.0**log2_scale
        keys = seal.KeyGenerator(built)
        public, self.relinearisation, self.rotation = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
        keys.create_public_key(public)
        keys.create_relin_keys(self.relinearisation)
        # The list is of automorphisms X -> X^k: that of a rotation by one step.
        keys.create_galois_keys([3], self.rotation)
        self.encryptor = seal.Encryptor(built, public)
        self.decryptor = seal.Decryptor(built, keys.secret_key())
        self.evaluator = seal.Evaluator(built)
        self.encoder = seal.CKKSEncoder(built) if self.is_ckks else seal.BatchEncoder(built)
        numbers = real_numbers(depth) if self.is_ckks else whole_numbers()
        # The interface takes lists.
        self.numbers = [operand.tolist() for operand in numbers]
        self.plaintext = self.encode()
        self.a, self.b = self.encrypt(), self.encrypted(self._encoded(1))
        self.last = self.chain()

    def _encoded(self, operand: int) -> Any:
        plaintext = seal.Plaintext()
        if self.is_ckks:
            self.encoder.encode(self.numbers[operand], self.scale, plaintext)
        else:
            self.encoder.encode(self.numbers[operand], plaintext)
        return plaintext

    def _finish(self, product: Any) -> Any:
        self.evaluator.relinearize_inplace(product, self.relinearisation)
        if self.is_ckks:
            self.evaluator.rescale_to_next_inplace(product)
        return product

    def product(self) -> Any:
        result = seal.Ciphertext()
        self.evaluator.multiply(self.a, self.b, result)
        return self._finish(result)

    def chain(self) -> Any:
        value = self.a
        for _ in range(self.depth):
            square = seal.Ciphertext()
            self.evaluator.square(value, square)
            value = self._finish(square)
        return value

    def rotate(self) -> Any:
        result = seal.Ciphertext()
        rotate = self.evaluator.rotate_vector if self.is_ckks else self.evaluator.rotate_rows
        rotate(self.a, 1, self.rotation, result)
        return result

    def encode(self) -> Any:
        return self._encoded(0)

    def encrypt(self) -> Any:
        return self.encrypted(self.plaintext)

    def encrypted(self, plaintext: Any) -> Any:
        result = seal.Ciphertext()
        self.encryptor.encrypt(plaintext, result)
        return result

    def decrypt(self, ciphertext: Any) -> Any:
        plaintext = seal.Plaintext()
        self.decryptor.decrypt(ciphertext, plaintext)
        return self.encoder.decode_double(plaintext) if self.is_ckks else self.encoder.decode_int64(plaintext)


def offer(scheme: str, depth: int, log2_scale: int) -> dict[str, Any]:
    if scheme == "bgv":
        return {"refused": "TenSEAL has BFV and CKKS only"}
    try:
        _, primes = context(scheme, depth, log2_scale)
    except Exception as error:
        return {"refused": str(error)}
    return {
        "log2_n": int(math.log2(RING_DEGREE)),
        "log2_q": sum(map(math.log2, primes[:-1])),
        "log2_qp": sum(map(math.log2, primes)),
        "primes": [len(primes) - 1, 1],
        "log2_scale": log2_scale if scheme == "ckks" else None,
        "security": "TC128",
        "secret": "ternary",
        "cannot": {},
    }


answer("TenSEAL", tenseal.__version__, offer, Party)
