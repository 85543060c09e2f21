// Operations of an installed OpenFHE: the same questions, answers and numbers as ../peer.py and ../../protocol.py.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "openfhe.h"

using namespace lbcrypto;
using Clock = std::chrono::steady_clock;
using Encrypted = Ciphertext<DCRTPoly>;

namespace {

constexpr uint32_t kRingDegree = 1 << 15;
constexpr int64_t kPlaintextModulus = 65537;
constexpr double kLargestError = 1.0 / 4096;
constexpr uint32_t kMostFirstBits = 60;
const std::set<std::string> kOperations = {"product", "chain", "rotate", "encrypt", "decrypt", "encode"};

struct Choice {
    std::string scheme;
    uint32_t depth;
    uint32_t log2_scale;
};

// The numbers of an operand, whole in (-t/2, t/2] or real.
struct Numbers {
    std::vector<int64_t> whole;
    std::vector<double> real;
};

Numbers numbers_of(const Choice& choice, int operand) {
    Numbers result;
    if (choice.scheme != "ckks") {
        for (int64_t slot = 0; slot < kRingDegree; ++slot) {
            const int64_t number = (operand == 0 ? slot * slot + 3 : 5 * slot + 7) % kPlaintextModulus;
            result.whole.push_back(number > kPlaintextModulus / 2 ? number - kPlaintextModulus : number);
        }
        return result;
    }
    const int64_t period = operand == 0 ? 97 : 89;
    for (int64_t slot = 0; slot < kRingDegree / 2; ++slot) {
        const double size = std::exp2(-double(slot % period) / double(period) / std::exp2(double(choice.depth)));
        result.real.push_back(slot % 3 == 0 ? -size : size);
    }
    return result;
}

template <typename Parameters>
void set_common(Parameters& parameters, const Choice& choice) {
    parameters.SetSecurityLevel(HEStd_128_classic);
    parameters.SetRingDim(kRingDegree);
    parameters.SetMultiplicativeDepth(choice.depth);
    parameters.SetKeySwitchTechnique(HYBRID);
}

// The context for 128 bits of security, or an exception of OpenFHE.
CryptoContext<DCRTPoly> context_of(const Choice& choice) {
    CryptoContext<DCRTPoly> context;
    if (choice.scheme == "ckks") {
        CCParams<CryptoContextCKKSRNS> parameters;
        set_common(parameters, choice);
        parameters.SetScalingTechnique(FIXEDMANUAL);
        parameters.SetScalingModSize(choice.log2_scale);
        parameters.SetFirstModSize(std::min(choice.log2_scale + 10, kMostFirstBits));
        parameters.SetBatchSize(kRingDegree / 2);
        context = GenCryptoContext(parameters);
    } else if (choice.scheme == "bgv") {
        CCParams<CryptoContextBGVRNS> parameters;
        set_common(parameters, choice);
        parameters.SetScalingTechnique(FIXEDMANUAL);
        parameters.SetPlaintextModulus(kPlaintextModulus);
        context = GenCryptoContext(parameters);
    } else {
        CCParams<CryptoContextBFVRNS> parameters;
        set_common(parameters, choice);
        parameters.SetMultiplicationTechnique(HPSPOVERQLEVELED);
        parameters.SetPlaintextModulus(kPlaintextModulus);
        context = GenCryptoContext(parameters);
    }
    for (const auto feature : {PKE, KEYSWITCH, LEVELEDSHE}) {
        context->Enable(feature);
    }
    return context;
}

// Keys, two operands, and the result of a chain.
class Party {
public:
    Party(const Choice& choice, const CryptoContext<DCRTPoly>& context)
        : choice_(choice), context_(context), x_(numbers_of(choice, 0)), y_(numbers_of(choice, 1)) {
        // Keys are kept in the library: those of the set before go.
        CryptoContextImpl<DCRTPoly>::ClearEvalMultKeys();
        CryptoContextImpl<DCRTPoly>::ClearEvalAutomorphismKeys();
        keys_ = context_->KeyGen();
        context_->EvalMultKeyGen(keys_.secretKey);
        context_->EvalRotateKeyGen(keys_.secretKey, {1});
        plaintext_ = encode(x_);
        a_ = encrypt(plaintext_);
        b_ = encrypt(encode(y_));
        last_ = chain();
    }

    // Returns the milliseconds of an operation, whose result is checked outside of the time.
    double run(const std::string& operation) {
        Encrypted result;
        Plaintext plaintext;
        const auto start = Clock::now();
        if (operation == "product") {
            result = finish(context_->EvalMult(a_, b_));
        } else if (operation == "chain") {
            result = chain();
        } else if (operation == "rotate") {
            result = context_->EvalRotate(a_, 1);
        } else if (operation == "encrypt") {
            result = encrypt(plaintext_);
        } else if (operation == "encode") {
            plaintext = encode(x_);
        } else {
            context_->Decrypt(keys_.secretKey, last_, &plaintext);
        }
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        if (operation == "encode") {
            result = encrypt(plaintext);
        }
        if (result) {
            context_->Decrypt(keys_.secretKey, result, &plaintext);
        }
        if (!is_right(operation, plaintext)) {
            throw std::runtime_error("the result is wrong");
        }
        return ms;
    }

private:
    Plaintext encode(const Numbers& numbers) const {
        if (choice_.scheme == "ckks") {
            return context_->MakeCKKSPackedPlaintext(numbers.real);
        }
        return context_->MakePackedPlaintext(numbers.whole);
    }

    Encrypted encrypt(const Plaintext& plaintext) const { return context_->Encrypt(keys_.publicKey, plaintext); }

    Encrypted finish(Encrypted product) const {
        if (choice_.scheme != "bfv") {
            context_->ModReduceInPlace(product);
        }
        return product;
    }

    Encrypted chain() const {
        Encrypted value = a_;
        for (uint32_t done = 0; done < choice_.depth; ++done) {
            value = finish(context_->EvalSquare(value));
        }
        return value;
    }

    template <typename T>
    T expected(const std::string& operation, const std::vector<T>& x, const std::vector<T>& y, size_t slot,
               const std::function<T(T, T)>& times) const {
        const size_t row = kRingDegree / 2;
        if (operation == "product") {
            return times(x[slot], y[slot]);
        }
        if (operation == "rotate") {
            return x[slot / row * row + (slot + 1) % row];
        }
        T value = x[slot];
        if (operation == "chain" || operation == "decrypt") {
            for (uint32_t done = 0; done < choice_.depth; ++done) {
                value = times(value, value);
            }
        }
        return value;
    }

    bool is_right(const std::string& operation, const Plaintext& plaintext) const {
        if (choice_.scheme == "ckks") {
            const auto found = plaintext->GetRealPackedValue();
            const std::function<double(double, double)> times = [](double a, double b) { return a * b; };
            for (size_t slot = 0; slot < x_.real.size(); ++slot) {
                const double wanted = expected(operation, x_.real, y_.real, slot, times);
                if (!(std::abs(found.at(slot) - wanted) <= kLargestError)) {
                    return false;
                }
            }
            return true;
        }
        const auto& found = plaintext->GetPackedValue();
        const std::function<int64_t(int64_t, int64_t)> times = [](int64_t a, int64_t b) {
            return a * b % kPlaintextModulus;
        };
        for (size_t slot = 0; slot < x_.whole.size(); ++slot) {
            if ((found.at(slot) - expected(operation, x_.whole, y_.whole, slot, times)) % kPlaintextModulus != 0) {
                return false;
            }
        }
        return true;
    }

    Choice choice_;
    CryptoContext<DCRTPoly> context_;
    Numbers x_, y_;
    KeyPair<DCRTPoly> keys_;
    Plaintext plaintext_;
    Encrypted a_, b_, last_;
};

// Text in quotes as JSON takes it.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + "\"";
}

std::string offer(const Choice& choice, const CryptoContext<DCRTPoly>& context) {
    const auto parameters = std::dynamic_pointer_cast<CryptoParametersRNS>(context->GetCryptoParameters());
    const auto q = parameters->GetElementParams();
    const auto qp = parameters->GetParamsQP();
    const size_t primes = q->GetParams().size();
    std::ostringstream json;
    json << "\"log2_n\":15,\"log2_q\":" << std::log2(q->GetModulus().ConvertToDouble())
         << ",\"log2_qp\":" << std::log2(qp->GetModulus().ConvertToDouble()) << ",\"primes\":[" << primes << ","
         << qp->GetParams().size() - primes << "],\"log2_scale\":";
    if (choice.scheme == "ckks") {
        json << choice.log2_scale;
    } else {
        json << "null";
    }
    json << ",\"security\":\"HEStd_128_classic\",\"secret\":\"ternary\",\"cannot\":{}";
    return json.str();
}

}  // namespace

int main(int count, char** arguments) {
    std::map<std::pair<std::string, uint32_t>, std::pair<Choice, CryptoContext<DCRTPoly>>> contexts;
    std::string greeting;
    for (int place = 1; place < count; ++place) {
        uint32_t depth = 0;
        uint32_t log2_scale = 0;
        if (std::sscanf(arguments[place], "%u:%u", &depth, &log2_scale) != 2) {
            std::cerr << "error: the arguments are DEPTH:LOG2_SCALE; bench.py starts this program\n";
            return 2;
        }
        for (const std::string scheme : {"bgv", "bfv", "ckks"}) {
            const Choice choice{scheme, depth, log2_scale};
            greeting += (greeting.empty() ? "" : ",") + std::string("{\"scheme\":\"") + scheme +
                        "\",\"depth\":" + std::to_string(depth) + ",";
            try {
                const auto context = context_of(choice);
                greeting += offer(choice, context) + "}";
                contexts[{scheme, depth}] = {choice, context};
            } catch (const std::exception& error) {
                greeting += "\"refused\":" + quoted(error.what()) + "}";
            }
        }
    }
    std::cout << "{\"name\":\"OpenFHE\",\"version\":" << quoted(GetOPENFHEVersion()) << ",\"sets\":[" << greeting << "]}"
              << std::endl;
    // Only one set of keys at a time.
    std::pair<std::string, uint32_t> current;
    std::unique_ptr<Party> party;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::istringstream words(line);
            std::string scheme;
            std::string operation;
            uint32_t depth = 0;
            words >> scheme >> depth >> operation;
            const auto chosen = contexts.find({scheme, depth});
            if (chosen == contexts.end() || kOperations.count(operation) == 0) {
                throw std::runtime_error(line + ": there's no such set or operation");
            }
            if (!party || current != chosen->first) {
                party.reset();
                party = std::make_unique<Party>(chosen->second.first, chosen->second.second);
                current = chosen->first;
            }
            const double ms = party->run(operation);
            std::cout << ms << std::endl;
        } catch (const std::exception& error) {
            const std::string text = quoted(error.what());
            std::cout << "error: " << text.substr(1, text.size() - 2) << std::endl;
        }
    }
}
