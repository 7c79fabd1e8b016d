// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The inputs of operators for programs that are not C++, such as the Python runner. Not a public interface: a
// runner and this library are of one version.

#include <algorithm>
#include <cstdint>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/operators/problem/problem.hpp"
#include "harness/operators/problem/values.hpp"

namespace {

thread_local std::string last_problem;

/// Returns the problem of a text. This thread's last one is kept, since a runner asks for each of its points.
const parity::operators::Problem& problem_of(const char* text) {
  thread_local std::string known;
  thread_local parity::operators::Problem problem;
  if (known.empty() || known != text) {
    known.clear();
    problem = parity::operators::Problem::from_json(parity::read_json(text));
    known = text;
  }
  return problem;
}

/// Copies what `compute` returns. \return 0, or 1 if it threw
template <class Compute>
int copy_values(double* values, int64_t count, const Compute& compute) noexcept {
  try {
    const std::vector<double> computed = compute();
    parity::require(computed.size() == static_cast<size_t>(count), "another number of values");
    std::ranges::copy(computed, values);
    return 0;
  } catch (const std::exception& error) {
    last_problem = error.what();
    return 1;
  }
}

}  // namespace

extern "C" {

#define PARITY_OPERATORS_API __attribute__((visibility("default")))

/// Returns why this thread's last call failed.
PARITY_OPERATORS_API const char* parity_operators_error() {
  return last_problem.c_str();
}

/// Writes the values of one tensor of an input: see input_values().
PARITY_OPERATORS_API int parity_operators_input(const char* problem, int64_t point, const char* input,
                                                int64_t item, int64_t variation, int64_t count,
                                                double* values) {
  return copy_values(values, count, [&] {
    using namespace parity::operators;
    const Problem& whole = problem_of(problem);
    const Input* found = whole.find(input);
    parity::require(found != nullptr, "no such input");
    return input_values(whole.points.at(static_cast<size_t>(point)), *found, static_cast<size_t>(item),
                        static_cast<uint64_t>(variation));
  });
}

/// Writes the gradient with respect to an output: see cotangent_values().
PARITY_OPERATORS_API int parity_operators_cotangent(const char* problem, int64_t point, const char* output,
                                                    const char* dtype, int64_t count, double* values) {
  return copy_values(values, count, [&] {
    using namespace parity::operators;
    const Problem& whole = problem_of(problem);
    return cotangent_values(whole.points.at(static_cast<size_t>(point)), output,
                            parity::parse_enum<parity::DType>(dtype), static_cast<size_t>(count));
  });
}
}
