// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/tensor/dtype.hpp"

namespace parity::reveal {

/// The results do not show one sum: nothing is absorbed, for example, or squares are added.
class NotRevealed : public UserError {
 public:
  explicit NotRevealed(const std::string& message) : UserError(message) {}
};

/// Summands that an operator is given: x[k], or x[k] * w[k] if it multiplies.
struct Summands {
  std::vector<double> x = {};
  std::vector<double> w = {};  ///< as long as x; not read if the operator does not multiply
};

/// An operator that sums, seen from outside.
struct SummingOperator {
  size_t terms = 0;
  DType input = DType::float32;   ///< of x and w; every value that a probe uses is exact in it
  DType output = DType::float32;  ///< of the result
  bool multiplies = false;        ///< adds products x[k] * w[k]
  /// Returns the result for each set of summands. Called with many at once.
  std::function<std::vector<double>(const std::vector<Summands>&)> results;
};

/// Numbers of which the larger absorbs the smaller in the operator's arithmetic: large + terms * unit ==
/// large.
struct ProbeNumbers {
  double large = 0, unit = 0;  ///< of x
  double large_w = 1;          ///< factor of the large ones
};

/// \throws NotRevealed if the dtype is not a float type, or has no such numbers for so many terms
ProbeNumbers probe_numbers(const SummingOperator& op);

/// Returns the results. \throws NotRevealed if there is another number of them
std::vector<double> probe(const SummingOperator& op, const std::vector<Summands>& all);

/// Returns summands that are all zero, with factors of one.
Summands zeros(const SummingOperator& op);

}  // namespace parity::reveal
