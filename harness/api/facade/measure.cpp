// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harness/api/facade/inside.hpp"
#include "harness/api/include/parity/difference.hpp"
#include "harness/api/include/parity/digest.hpp"
#include "harness/api/include/parity/sketch.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "harness/measure/tensor/statistics.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::api {
namespace {

using facade::inner;
using facade::translated;

measure::DifferencePolicy inner_policy(const DifferencePolicy& policy) {
  using Inner = measure::DifferencePolicy;
  return {.nan = policy.nan_equals_nan ? Inner::Nan::equal_if_both : Inner::Nan::never_equal,
          .zero_sign = policy.zero_sign_ignored ? Inner::ZeroSign::ignored : Inner::ZeroSign::counts,
          .subnormal = policy.subnormals_as_zero ? Inner::Subnormal::as_zero : Inner::Subnormal::counts};
}

void check_equal_dtypes(const TensorView& expected, const TensorView& actual) {
  if (expected.dtype != actual.dtype)
    throw UserError(std::string(name_of(expected.dtype)) + " against " + std::string(name_of(actual.dtype)) +
                    " (only tensors of one dtype have a difference); convert one of them");
}

}  // namespace

static_assert(sketch_size == measure::sketch_size);
static_assert(Difference::no_ulp == measure::Difference::no_ulp);
static_assert(name_of(DType::residue64) == parity::name_of(parity::DType::residue64));
static_assert(name_of(DType::float8_e5m2) == parity::name_of(parity::DType::float8_e5m2));

DType dtype_named(std::string_view name) {
  return translated([&] { return facade::same<DType>(parse_enum<parity::DType>(name)); });
}

double TensorView::at(int64_t flat) const {
  if (flat < 0 || flat >= size())
    throw Error("element " + std::to_string(flat) + " of a tensor of " + std::to_string(size()) + " elements",
                2);
  return widen(facade::same<parity::DType>(dtype),
               static_cast<const std::byte*>(data) + static_cast<size_t>(flat) * size_of(dtype));
}

std::string to_string(const Digest& digest) {
  return measure::to_string(measure::Digest{digest.low, digest.high});
}

Digest digest_of(const TensorView& view, uint64_t first_index) {
  return translated([&] { return facade::outer(measure::digest_of(inner(view), first_index)); });
}

std::vector<double> sketch_of(const TensorView& view, int64_t first_index, int64_t whole_count) {
  return translated([&] { return measure::sketch_of(inner(view), first_index, whole_count); });
}

double sketch_distance(const std::vector<double>& x, const std::vector<double>& r) {
  if (x.size() != r.size())
    throw Error("sketches of " + std::to_string(x.size()) + " and " + std::to_string(r.size()) + " sums", 2);
  double squares = 0;
  for (size_t b = 0; b < x.size(); ++b)
    squares += (x[b] - r[b]) * (x[b] - r[b]);
  return std::sqrt(squares);
}

Statistics statistics_of(const TensorView& view) {
  return translated([&]() -> Statistics {
    const measure::Statistics found = measure::statistics_of(inner(view));
    return {found.nan_count, found.inf_count, found.norm, found.max_abs};
  });
}

Difference difference_of(const TensorView& expected, const TensorView& actual,
                         const DifferencePolicy& policy) {
  return translated([&]() -> Difference {
    check_equal_dtypes(expected, actual);
    const measure::Difference found =
        measure::measure_difference(inner(expected), inner(actual), {.policy = inner_policy(policy)});
    return {.count = found.count,
            .differing = found.differing,
            .l2_error = found.l2_error,
            .expected_norm = found.expected_norm,
            .relative_l2 = found.relative_l2,
            .max_abs_error = found.max_abs_error,
            .relative_linf = found.relative_linf,
            .cosine = found.cosine,
            .max_ulp = found.max_ulp,
            .mean_ulp = found.mean_ulp,
            .bias_ulp = found.bias_ulp,
            .needed_rtol = found.needed_rtol,
            .expected_nan = found.expected_nan,
            .actual_nan = found.actual_nan,
            .expected_inf = found.expected_inf,
            .actual_inf = found.actual_inf,
            .worst_index = found.worst_index,
            .worst_expected = found.worst_expected,
            .worst_actual = found.worst_actual};
  });
}

}  // namespace parity::api
