// Operations of Lattigo: BGV, its scale-invariant form as BFV, and CKKS.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

const module = "github.com/tuneinsight/lattigo/v6"

// sizes has the sizes of the primes of Q and of P, in bits.
type sizes struct{ q, p []int }

// chainOf returns a first prime and one for each product, and the primes of P for three digits at most.
func chainOf(first, each, depth int) sizes {
	digit := (depth + 3) / 3
	return sizes{append([]int{first}, slices.Repeat([]int{each}, depth)...), slices.Repeat([]int{first + 2}, digit)}
}

// primesOf returns the sizes for a scheme: in BFV as few primes as give right results.
func primesOf(scheme string, depth, log2Scale int) sizes {
	switch scheme {
	case "bgv":
		return chainOf(46, 36, depth)
	case "bfv":
		bits := 53 + 29*depth
		count := (bits + 57) / 58
		each := (bits + count - 1) / count
		return sizes{slices.Repeat([]int{each}, count), slices.Repeat([]int{each + 1}, (count+1)/2)}
	default:
		return chainOf(min(log2Scale+10, 58), log2Scale, depth)
	}
}

// offer returns the parameters of a scheme and depth.
func offer(scheme string, depth, log2Scale int) set {
	result := set{Scheme: scheme, Depth: depth, Cannot: map[string]string{}}
	primes := primesOf(scheme, depth, log2Scale)
	var parameters rlwe.Parameters
	if scheme == "ckks" {
		built, err := ckks.NewParametersFromLiteral(
			ckks.ParametersLiteral{LogN: log2N, LogQ: primes.q, LogP: primes.p, LogDefaultScale: log2Scale})
		if err != nil {
			result.Refused = err.Error()
			return result
		}
		parameters, result.Log2Scale = built.Parameters, &log2Scale
		result.create = func() (party, error) { return newReals(built, depth) }
	} else {
		built, err := bgv.NewParametersFromLiteral(
			bgv.ParametersLiteral{LogN: log2N, LogQ: primes.q, LogP: primes.p, PlaintextModulus: plaintextModulus})
		if err != nil {
			result.Refused = err.Error()
			return result
		}
		parameters = built.Parameters
		result.create = func() (party, error) { return newIntegers(built, depth, scheme == "bfv") }
	}
	result.Log2N, result.Log2Q, result.Log2QP = parameters.LogN(), parameters.LogQ(), parameters.LogQP()
	result.Primes = [2]int{parameters.QCount(), parameters.PCount()}
	result.Security, result.Secret = "not checked by the library", "ternary"
	return result
}

// scheme has what differs between the schemes.
type scheme[T any] struct {
	encode func([]T) (*rlwe.Plaintext, error)
	decode func(*rlwe.Plaintext) ([]T, error)
	// multiply returns a product that is relinearised, and switched or rescaled.
	multiply func(a, b *rlwe.Ciphertext) (*rlwe.Ciphertext, error)
	rotate   func(*rlwe.Ciphertext) (*rlwe.Ciphertext, error)
	times    func(a, b T) T
	agrees   func(found, expected T) bool
}

// subject has keys, two operands, and the result of a chain.
type subject[T any] struct {
	scheme[T]
	depth         int
	x, y          []T
	encryptor     *rlwe.Encryptor
	decryptor     *rlwe.Decryptor
	plaintext     *rlwe.Plaintext
	a, b, product *rlwe.Ciphertext
}

// keysOf returns an encryptor, a decryptor and evaluation keys.
func keysOf(parameters rlwe.Parameters, rotation uint64) (*rlwe.Encryptor, *rlwe.Decryptor, rlwe.EvaluationKeySet) {
	generator := rlwe.NewKeyGenerator(parameters)
	secret, public := generator.GenKeyPairNew()
	keys := rlwe.NewMemEvaluationKeySet(generator.GenRelinearizationKeyNew(secret),
		generator.GenGaloisKeyNew(rotation, secret))
	return rlwe.NewEncryptor(parameters, public), rlwe.NewDecryptor(parameters, secret), keys
}

func newIntegers(parameters bgv.Parameters, depth int, isScaleInvariant bool) (party, error) {
	encryptor, decryptor, keys := keysOf(parameters.Parameters, parameters.GaloisElementForColRotation(1))
	encoder, evaluator := bgv.NewEncoder(parameters), bgv.NewEvaluator(parameters, keys, isScaleInvariant)
	x, y := wholeNumbers()
	return newSubject(scheme[uint64]{
		encode: func(numbers []uint64) (*rlwe.Plaintext, error) {
			plaintext := bgv.NewPlaintext(parameters, parameters.MaxLevel())
			return plaintext, encoder.Encode(numbers, plaintext)
		},
		decode: func(plaintext *rlwe.Plaintext) ([]uint64, error) {
			numbers := make([]uint64, ringDegree)
			return numbers, encoder.Decode(plaintext, numbers)
		},
		multiply: func(a, b *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
			product, err := evaluator.MulRelinNew(a, b)
			if err != nil {
				return nil, err
			}
			// The scale-invariant evaluator does nothing here.
			return product, evaluator.Rescale(product, product)
		},
		rotate: func(a *rlwe.Ciphertext) (*rlwe.Ciphertext, error) { return evaluator.RotateColumnsNew(a, 1) },
		times:  func(a, b uint64) uint64 { return a * b % plaintextModulus },
		agrees: func(found, expected uint64) bool { return found == expected },
	}, depth, x, y, encryptor, decryptor)
}

func newReals(parameters ckks.Parameters, depth int) (party, error) {
	encryptor, decryptor, keys := keysOf(parameters.Parameters, parameters.GaloisElementForRotation(1))
	encoder, evaluator := ckks.NewEncoder(parameters), ckks.NewEvaluator(parameters, keys)
	x, y := realNumbers(depth)
	return newSubject(scheme[float64]{
		encode: func(numbers []float64) (*rlwe.Plaintext, error) {
			plaintext := ckks.NewPlaintext(parameters, parameters.MaxLevel())
			return plaintext, encoder.Encode(numbers, plaintext)
		},
		decode: func(plaintext *rlwe.Plaintext) ([]float64, error) {
			numbers := make([]float64, ringDegree/2)
			return numbers, encoder.Decode(plaintext, numbers)
		},
		multiply: func(a, b *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
			product, err := evaluator.MulRelinNew(a, b)
			if err != nil {
				return nil, err
			}
			return product, evaluator.Rescale(product, product)
		},
		rotate: func(a *rlwe.Ciphertext) (*rlwe.Ciphertext, error) { return evaluator.RotateNew(a, 1) },
		times:  func(a, b float64) float64 { return a * b },
		agrees: func(found, expected float64) bool { return math.Abs(found-expected) <= largestError },
	}, depth, x, y, encryptor, decryptor)
}

func newSubject[T any](of scheme[T], depth int, x, y []T, encryptor *rlwe.Encryptor,
	decryptor *rlwe.Decryptor) (party, error) {
	s := &subject[T]{scheme: of, depth: depth, x: x, y: y, encryptor: encryptor, decryptor: decryptor}
	second, err := s.encode(y)
	if err == nil {
		s.plaintext, err = s.encode(x)
	}
	if err == nil {
		s.b, err = encryptor.EncryptNew(second)
	}
	if err == nil {
		s.a, err = encryptor.EncryptNew(s.plaintext)
	}
	if err == nil {
		s.product, err = s.chain()
	}
	return s, err
}

func (s *subject[T]) chain() (*rlwe.Ciphertext, error) {
	value := s.a
	for range s.depth {
		square, err := s.multiply(value, value)
		if err != nil {
			return nil, err
		}
		value = square
	}
	return value, nil
}

func (s *subject[T]) decrypt(ciphertext *rlwe.Ciphertext) ([]T, error) {
	return s.decode(s.decryptor.DecryptNew(ciphertext))
}

// expected returns the numbers of an operation's result.
func (s *subject[T]) expected(operation string) []T {
	numbers := slices.Clone(s.x)
	switch operation {
	case "product":
		for slot := range numbers {
			numbers[slot] = s.times(s.x[slot], s.y[slot])
		}
	case "rotate":
		return rotated(s.x)
	case "chain", "decrypt":
		for slot := range numbers {
			for range s.depth {
				numbers[slot] = s.times(numbers[slot], numbers[slot])
			}
		}
	}
	return numbers
}

func (s *subject[T]) run(operation string) (duration time.Duration, isRight bool, err error) {
	var result *rlwe.Ciphertext
	var plaintext *rlwe.Plaintext
	var found []T
	start := time.Now()
	switch operation {
	case "product":
		result, err = s.multiply(s.a, s.b)
	case "chain":
		result, err = s.chain()
	case "rotate":
		result, err = s.rotate(s.a)
	case "encrypt":
		result, err = s.encryptor.EncryptNew(s.plaintext)
	case "encode":
		plaintext, err = s.encode(s.x)
	default:
		found, err = s.decrypt(s.product)
	}
	duration = time.Since(start)
	if err == nil && plaintext != nil {
		result, err = s.encryptor.EncryptNew(plaintext)
	}
	if err == nil && result != nil {
		found, err = s.decrypt(result)
	}
	return duration, err == nil && slices.EqualFunc(found, s.expected(operation), s.agrees), err
}

// version returns that of the module that was built in.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range build.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

func main() {
	if err := answer("Lattigo", version(), offer); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
