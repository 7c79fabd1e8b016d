// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A training loop in C++ that records itself twice and judges the two traces: the second run sums its
// gradient in the opposite order. In float32 the runs differ; in float64 the gap collapses, so the verdict is
// rounding.
//
// Usage: cpp_trainer FOLDER
#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <parity/difference.hpp>
#include <parity/judge.hpp>
#include <parity/recorder.hpp>
#include <parity/trace.hpp>

namespace api = parity::api;

namespace {

constexpr int64_t rows = 64, inputs = 4, steps = 8;

double input_of(int64_t row, int64_t column) {
  return static_cast<double>((row * 7 + column * 5) % 23) / 23 - 0.5;
}

/// Trains y = x w with squared loss; records loss, gradient and parameter.
template <class Number>
class Trainer {
 public:
  Trainer(const std::string& path, bool backwards)
      : recorder_({.path = path, .capture = R"({"tensors": [{"phases": ["grad", "param"]}]})"}),
        backwards_(backwards) {}

  void run() {
    recorder_.begin_step(0);
    record(api::Phase::param, weight_);
    recorder_.end_step();
    for (int64_t step = 1; step <= steps; ++step) {
      recorder_.begin_step(step);
      update();
      recorder_.end_step();
    }
    recorder_.finish();
  }

 private:
  void update() {
    std::array<Number, inputs> gradient = {};
    Number loss = 0;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t row = backwards_ ? rows - 1 - i : i;
      Number gap = -static_cast<Number>(input_of(row, inputs));
      for (int64_t k = 0; k < inputs; ++k)
        gap += weight_[k] * static_cast<Number>(input_of(row, k));
      loss += gap * gap / rows;
      for (int64_t k = 0; k < inputs; ++k)
        gradient[k] += 2 * gap * static_cast<Number>(input_of(row, k)) / rows;
    }
    record(api::Phase::grad, gradient);
    for (int64_t k = 0; k < inputs; ++k)
      weight_[k] -= Number(0.5) * gradient[k];
    record(api::Phase::param, weight_);
    recorder_.channel("loss", static_cast<double>(loss));
  }

  /// The capture's faults may change the values: they are the memory that training continues with.
  void record(api::Phase phase, std::array<Number, inputs>& values) {
    const api::DType dtype = sizeof(Number) == 8 ? api::DType::float64 : api::DType::float32;
    recorder_.tensor(phase, "w", {dtype, {inputs}, values.data()}, {.writable = values.data()});
  }

  api::Recorder recorder_;
  bool backwards_;
  std::array<Number, inputs> weight_ = {Number(0.5), Number(-0.25), Number(0.125), Number(1)};
};

template <class Number>
api::Trace trained(const std::string& path, bool backwards) {
  Trainer<Number>(path, backwards).run();
  return api::Trace::open(path);
}

void print(const api::CheckResult& result) {
  std::cout << (result.passed ? "passed" : "failed") << ", " << name_of(result.verdict) << ": "
            << result.sentence << "\n";
}

int compare(const std::filesystem::path& folder) {
  const api::Trace a = trained<float>(folder / "a.h5", false), b = trained<float>(folder / "b.h5", true);
  const api::Trace twin_a = trained<double>(folder / "a64.h5", false),
                   twin_b = trained<double>(folder / "b64.h5", true);

  const api::TensorKey weight = {steps, api::Phase::param, "w"};
  const api::Difference gap = api::difference_of(a.tensor(weight), b.tensor(weight));
  std::cout << gap.differing << " of " << gap.count << " weights differ, by at most " << gap.max_ulp
            << " ULPs\n";

  const std::map<std::string, api::Arm> arms = {{"forwards", {.trace = &a, .twin = &twin_a}},
                                                {"backwards", {.trace = &b, .twin = &twin_b}}};
  api::Check check = {.channels = {"loss"}, .arms = {"forwards", "backwards"}};
  const api::CheckResult same_bits = api::judge(check, arms);
  print(same_bits);
  check.relation = api::Relation::equivalent;
  const api::CheckResult same_mathematics = api::judge(check, arms);
  print(same_mathematics);
  return !same_bits.passed && same_mathematics.verdict == api::Verdict::rounding ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc > 1 ? argv[1] : ".");
  } catch (const api::Error& error) {
    std::cerr << error.what() << "\n";
    return error.status();
  }
}
