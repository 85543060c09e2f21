"""Operations of OpenFHE's Python wheel. `cpp/` has the same for an installed library.

Rescaling is done by hand (FIXEDMANUAL), so that a product ends with it as in the other libraries.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import openfhe
from protocol import LOG2_N, PLAINTEXT_MODULUS, RING_DEGREE, answer, real_numbers, whole_numbers

MOST_FIRST_BITS = 60


@cache
def context(scheme: str, depth: int, log2_scale: int) -> Any:
    """Returns the context for 128 bits of security, or raises an exception of OpenFHE."""
    kinds = {"bgv": openfhe.CCParamsBGVRNS, "bfv": openfhe.CCParamsBFVRNS, "ckks": openfhe.CCParamsCKKSRNS}
    parameters = kinds[scheme]()
    parameters.SetSecurityLevel(openfhe.HEStd_128_classic)
    parameters.SetRingDim(RING_DEGREE)
    parameters.SetMultiplicativeDepth(depth)
    parameters.SetKeySwitchTechnique(openfhe.HYBRID)
    if scheme == "ckks":
        parameters.SetScalingModSize(log2_scale)
        parameters.SetFirstModSize(min(log2_scale + 10, MOST_FIRST_BITS))
        parameters.SetBatchSize(RING_DEGREE // 2)
    else:
        parameters.SetPlaintextModulus(PLAINTEXT_MODULUS)
    if scheme == "bfv":
        parameters.SetMultiplicationTechnique(openfhe.HPSPOVERQLEVELED)
    else:
        parameters.SetScalingTechnique(openfhe.FIXEDMANUAL)
    built = openfhe.GenCryptoContext(parameters)
    for feature in (openfhe.PKE, openfhe.KEYSWITCH, openfhe.LEVELEDSHE):
        built.Enable(feature)
    return built


class Party:
    """Keys, two operands, and the result of a chain."""

    def __init__(self, scheme: str, depth: int, log2_scale: int) -> None:
        self.scheme, self.depth = scheme, depth
        self.context = context(scheme, depth, log2_scale)
        # Keys are kept in the library: those of the set before go.
        openfhe.ClearEvalMultKeys()
        self.context.ClearEvalAutomorphismKeys()
        self.keys = self.context.KeyGen()
        self.context.EvalMultKeyGen(self.keys.secretKey)
        self.context.EvalRotateKeyGen(self.keys.secretKey, [1])
        if scheme == "ckks":
            self.numbers = real_numbers(depth)
        else:
            # Whole numbers are taken in (-t/2, t/2].
            self.numbers = tuple(each - PLAINTEXT_MODULUS * (each > PLAINTEXT_MODULUS // 2) for each in whole_numbers())
        self.plaintext = self.encode()
        self.a, self.b = self.encrypt(), self.encrypted(self._encoded(1))
        self.last = self.chain()

    def _encoded(self, operand: int) -> Any:
        encode = self.context.MakeCKKSPackedPlaintext if self.scheme == "ckks" else self.context.MakePackedPlaintext
        return encode(self.numbers[operand])

    def _finish(self, product: Any) -> Any:
        if self.scheme != "bfv":
            self.context.ModReduceInPlace(product)
        return product

    def product(self) -> Any:
        return self._finish(self.context.EvalMult(self.a, self.b))

    def chain(self) -> Any:
        value = self.a
        for _ in range(self.depth):
            value = self._finish(self.context.EvalSquare(value))
        return value

    def rotate(self) -> Any:
        return self.context.EvalRotate(self.a, 1)

    def encode(self) -> Any:
        return self._encoded(0)

    def encrypt(self) -> Any:
        return self.encrypted(self.plaintext)

    def encrypted(self, plaintext: Any) -> Any:
        return self.context.Encrypt(self.keys.publicKey, plaintext)

    def decrypt(self, ciphertext: Any) -> Any:
        plaintext = self.context.Decrypt(ciphertext, self.keys.secretKey)
        if self.scheme == "ckks":
            return plaintext.GetRealPackedValueArray()
        return plaintext.GetPackedValueArray()


def offer(scheme: str, depth: int, log2_scale: int) -> dict[str, Any]:
    try:
        built = context(scheme, depth, log2_scale)
    except Exception as error:
        return {"refused": str(error)}
    return {
        "log2_n": LOG2_N,
        "log2_q": math.log2(built.GetModulus()),
        # The wheel tells neither P nor the number of primes.
        "log2_qp": None,
        "primes": None,
        "log2_scale": log2_scale if scheme == "ckks" else None,
        "security": "HEStd_128_classic",
        "secret": "ternary",
        "cannot": {},
    }


answer("OpenFHE", openfhe.__version__, offer, Party)
