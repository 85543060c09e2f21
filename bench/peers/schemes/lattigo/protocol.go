package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The questions and answers, and the numbers that are computed with, as in ../protocol.py.

const (
	log2N            = 15
	ringDegree       = 1 << log2N
	plaintextModulus = 65537
	// The largest error of CKKS's results.
	largestError = 1.0 / 4096
)

var operations = []string{"product", "chain", "rotate", "encrypt", "decrypt", "encode"}

// set has the parameters of a scheme and depth, or why there are none.
type set struct {
	Scheme    string            `json:"scheme"`
	Depth     int               `json:"depth"`
	Refused   string            `json:"refused,omitempty"`
	Log2N     int               `json:"log2_n"`
	Log2Q     float64           `json:"log2_q"`
	Log2QP    float64           `json:"log2_qp"`
	Primes    [2]int            `json:"primes"`
	Log2Scale *int              `json:"log2_scale"`
	Security  string            `json:"security"`
	Secret    string            `json:"secret"`
	Cannot    map[string]string `json:"cannot"`
	create    func() (party, error)
}

// party has keys and operands of a set. It runs an operation and returns its duration and whether the result is right.
type party interface {
	run(operation string) (time.Duration, bool, error)
}

// wholeNumbers returns two vectors of whole numbers below the plaintext modulus.
func wholeNumbers() (a, b []uint64) {
	for slot := range uint64(ringDegree) {
		a = append(a, (slot*slot+3)%plaintextModulus)
		b = append(b, (5*slot+7)%plaintextModulus)
	}
	return a, b
}

// realNumbers returns two vectors of real numbers of absolute value at most 1 whose power 2^depth is at least 1/2.
func realNumbers(depth int) (a, b []float64) {
	number := func(slot, period int) float64 {
		size := math.Exp2(-float64(slot%period) / float64(period) / math.Exp2(float64(depth)))
		if slot%3 == 0 {
			return -size
		}
		return size
	}
	for slot := range ringDegree / 2 {
		a = append(a, number(slot, 97))
		b = append(b, number(slot, 89))
	}
	return a, b
}

// rotated returns numbers rotated to the left by one slot, in rows of half the ring degree.
func rotated[T any](numbers []T) []T {
	var result []T
	for row := range slices.Chunk(numbers, ringDegree/2) {
		result = append(append(result, row[1:]...), row[0])
	}
	return result
}

// answer prints the greeting and answers questions until there are no more.
func answer(name, version string, offer func(scheme string, depth, log2Scale int) set) error {
	var sets []set
	for _, argument := range os.Args[1:] {
		var depth, log2Scale int
		if _, err := fmt.Sscanf(argument, "%d:%d", &depth, &log2Scale); err != nil {
			return fmt.Errorf("%s: the arguments are DEPTH:LOG2_SCALE; bench.py starts this program", argument)
		}
		for _, scheme := range []string{"bgv", "bfv", "ckks"} {
			sets = append(sets, offer(scheme, depth, log2Scale))
		}
	}
	greeting := map[string]any{"name": name, "version": version, "sets": sets}
	if err := json.NewEncoder(os.Stdout).Encode(greeting); err != nil {
		return err
	}
	// Only one set of keys at a time.
	var current *set
	var keys party
	reply := func(line string) (time.Duration, error) {
		words := strings.Fields(line)
		if len(words) != 3 || !slices.Contains(operations, words[2]) {
			return 0, fmt.Errorf("%s: there's no such operation", line)
		}
		asked := slices.IndexFunc(sets, func(s set) bool {
			return s.Scheme == words[0] && strconv.Itoa(s.Depth) == words[1] && s.create != nil
		})
		if asked < 0 {
			return 0, fmt.Errorf("%s: there's no such set", line)
		}
		if current != &sets[asked] {
			current, keys = nil, nil
			made, err := sets[asked].create()
			if err != nil {
				return 0, err
			}
			current, keys = &sets[asked], made
		}
		duration, isRight, err := keys.run(words[2])
		if err == nil && !isRight {
			err = errors.New("the result is wrong")
		}
		return duration, err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if duration, err := reply(lines.Text()); err != nil {
			fmt.Println("error:", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println(float64(duration.Nanoseconds()) / 1e6)
		}
	}
	return lines.Err()
}
