// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/operators/judge/ulp.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace {

/// Returns the largest finite |value|; 1 if all are 0.
double largest_value(const Values& exact) {
  double largest = 0;
  for (const double value : exact.value)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  return largest == 0 ? 1 : largest;
}

/// \param largest  of the tensor's exact values
double error_of(double value, double exact, double low, DType dtype, double largest) {
  if (value == exact && low == 0)
    return 0;  // also for equal infinities
  if (!std::isfinite(value) || !std::isfinite(exact))
    return std::numeric_limits<double>::infinity();
  return std::fabs((value - exact) - low) / ulp_at(dtype, exact == 0 ? largest : exact);
}

/// Returns the bin of an error: see UlpErrors::histogram.
size_t bin_of(double error) {
  if (error == 0)
    return 0;
  if (error <= 0.5)
    return 1;
  if (!(error <= 0x1p20))
    return 23;
  return static_cast<size_t>(std::max(0, static_cast<int>(std::ceil(std::log2(error))))) + 2;
}

}  // namespace

UlpErrors ulp_errors(const Values& values, const Values& exact, DType dtype) {
  UlpErrors errors;
  std::vector<double> all(values.size());
  const double largest = largest_value(exact);
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    all[i] = error_of(values.value[i], exact.value[i], exact.low.empty() ? 0 : exact.low[i], dtype, largest);
    sum += all[i];
    ++errors.histogram.at(bin_of(all[i]));
    if (all[i] > errors.largest) {
      errors.largest = all[i];
      errors.worst = i;
    }
  }
  if (all.empty())
    return errors;
  errors.mean = sum / static_cast<double>(all.size());
  const size_t place = std::min(all.size() - 1, static_cast<size_t>(0.999 * static_cast<double>(all.size())));
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(place));
  errors.most = all[place];
  return errors;
}

Values correctly_rounded(const Values& exact, DType dtype) {
  Values best{dtype, exact.shape, exact.value};
  for (double& value : best.value)
    value = rounded(dtype, value);
  return best;
}

}  // namespace parity::operators
