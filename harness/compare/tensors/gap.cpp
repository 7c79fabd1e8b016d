// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/gap.hpp"

#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::compare {
namespace {

/// Smallest tensor whose pages are released [bytes]. The few pages of a smaller one stay mapped.
constexpr size_t least_released = size_t{64} << 10;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Facts {
  DType dtype;
  Shape shape;
};

Facts facts_of(const TensorSource& source) {
  if (source.sketch)
    return {source.sketch->dtype, source.sketch->shape};
  const TensorView view = source.trace->unproved_tensor(source.key);
  return {view.dtype, view.shape};
}

/// Returns whether two rows show equal bits: digests and counts decide if both sides have them.
bool same_by_digest(const trace::SketchRow& e, const trace::SketchRow& a,
                    const measure::DifferencePolicy& policy) {
  return e.dtype == a.dtype && e.shape == a.shape && e.digest == a.digest &&
         (policy.nan == measure::DifferencePolicy::Nan::equal_if_both ||
          (e.nan_count == 0 && a.nan_count == 0));
}

/// Returns whether both rows have equally many block sums; a row without sums estimates nothing.
bool comparable(const trace::SketchRow& e, const trace::SketchRow& a) {
  return !e.values.empty() && e.values.size() == a.values.size();
}

/// Estimates the gap, sqrt(sum_b (s_b - s'_b)^2), and finds the block where it is largest. METRICS.md M16.
void estimate(TensorGap& found, const trace::SketchRow& e, const trace::SketchRow& a) {
  found.estimated = true;
  found.norm = e.norm;
  double squares = 0, largest = -1;
  size_t worst = 0;
  for (size_t b = 0; b < e.values.size(); ++b) {
    const double gap = std::abs(a.values[b] - e.values[b]);
    squares += gap * gap;
    if (gap > largest) {
      largest = gap;
      worst = b;
    }
  }
  found.gap = found.nan_count + found.inf_count > 0 ? nan : std::sqrt(squares);
  const int64_t count = element_count(e.shape);
  const auto blocks = static_cast<int64_t>(e.values.size());
  const auto start = [&](size_t block) {
    return (static_cast<int64_t>(block) * count + blocks - 1) / blocks;
  };
  found.block = {start(worst), start(worst + 1)};
}

/// Checks that the values of a tensor match its row, for a tensor whose values are not compared.
void prove(const TensorSource& source) {
  if (source.whole())
    source.trace->tensor(source.key);
}

/// Returns a function that releases bytes of both sides; none for small tensors.
measure::DoneWithBytes releaser(const TensorSource& expected, const TensorSource& actual, size_t bytes) {
  if (bytes < least_released)
    return {};
  return [&expected, &actual](const std::byte* data, size_t count) {
    expected.trace->release(data, count);
    actual.trace->release(data, count);
  };
}

/// Checks a digest of the values against the row. A tensor sharded over ranks was checked part by part when
/// it was joined.
void prove(const TensorSource& source, const measure::Digest& found) {
  if (!source.trace->is_proved(source.key))
    source.trace->prove(source.key, found);
}

void prove(const TensorSource& expected, const TensorSource& actual, const measure::DigestPair& digests) {
  prove(expected, digests.expected);
  prove(actual, digests.actual);
}

bool are_proved(const TensorSource& expected, const TensorSource& actual) {
  return expected.trace->is_proved(expected.key) && actual.trace->is_proved(actual.key);
}

/// Checks each side's values against its own row.
void prove_both(const TensorSource& expected, const TensorSource& actual) {
  prove(expected);
  prove(actual);
}

/// Checks two tensors whose rows are equal: their recorded values must be equal too. If only one side has
/// values, or the sides have different types, only the row itself can show it.
void prove_equal(const TensorSource& expected, const TensorSource& actual, Proof proof) {
  if (!expected.whole() || !actual.whole() || are_proved(expected, actual))
    return prove_both(expected, actual);
  const TensorView e = expected.trace->unproved_tensor(expected.key);
  const TensorView a = actual.trace->unproved_tensor(actual.key);
  if (e.dtype != a.dtype || e.shape != a.shape)
    return prove_both(expected, actual);
  const measure::DoneWithBytes done = releaser(expected, actual, e.bytes());
  if (proof == Proof::values)
    prove(expected, actual, measure::digests_of_pair(e, a, done));
  else if (!measure::have_equal_bits(e, a, done))
    prove_both(expected, actual);
}

/// Rejects the estimate of sketches that agree although the digests differ: block sums stay the same when
/// elements trade places. The gap is then unknown, which no rule accepts.
void refuse_blind_estimate(TensorGap& found, bool of_one_dtype) {
  if (!of_one_dtype || found.gap != 0)
    return;
  found.mismatch =
      "the digests differ, but the sketches are equal and cannot say by how much; capture whole "
      "tensors";
  found.gap = nan;
}

/// Measures whole tensors of one dtype and shape, element by element.
void measure_whole(TensorGap& found, const TensorSource& expected, const TensorSource& actual,
                   TensorDetail detail, const measure::DifferencePolicy& policy, Proof proof) {
  const TensorView e = expected.trace->unproved_tensor(expected.key);
  const TensorView a = actual.trace->unproved_tensor(actual.key);
  measure::DifferenceOptions options;
  options.policy = policy;
  options.profile = detail == TensorDetail::profile;
  options.digests = proof == Proof::values && !are_proved(expected, actual);
  options.done = releaser(expected, actual, e.bytes());
  measure::Difference difference = measure_difference(e, a, options);
  if (difference.digests)
    prove(expected, actual, *difference.digests);
  else if (difference.identical() && policy.strict())
    prove_both(expected, actual);  // the rows do not show equality, or there are none
  found.as_float32 = e.dtype == DType::float32;
  found.integral = !is_floating(e.dtype);
  found.identical = difference.identical();
  found.gap = difference.l2_error;
  found.norm = difference.expected_norm;
  found.nan_count = difference.expected_nan + difference.actual_nan;
  found.inf_count = difference.expected_inf + difference.actual_inf;
  found.differing = difference.differing;
  found.relative_linf = difference.relative_linf;
  found.cosine = difference.cosine;
  found.needed_rtol = difference.needed_rtol;
  found.mean_ulp = difference.mean_ulp;
  found.bias_ulp = difference.bias_ulp;
  found.profile = std::move(difference.profile);
  if (difference.max_ulp != measure::Difference::no_ulp)
    found.max_ulp = difference.max_ulp;
  if (difference.worst_index >= 0)
    found.worst = coordinates(e.shape, difference.worst_index);
  found.worst_expected = difference.worst_expected;
  found.worst_actual = difference.worst_actual;
}

/// Subtracts whole tensors of any two dtypes in float64. \return ||a - e||_2 and ||e||_2
std::pair<double, double> subtract(const TensorView& e, const TensorView& a) {
  double gap = 0, norm = 0;
  const auto* left = static_cast<const std::byte*>(e.data);
  const auto* right = static_cast<const std::byte*>(a.data);
  for (int64_t i = 0; i < e.size(); ++i) {
    const double x = widen(e.dtype, left + static_cast<size_t>(i) * size_of(e.dtype));
    const double y = widen(a.dtype, right + static_cast<size_t>(i) * size_of(a.dtype));
    gap += (y - x) * (y - x);
    norm += x * x;
  }
  return {std::sqrt(gap), std::sqrt(norm)};
}

/// Leaves of two tensors of residues how many differ, and where one does.
void forget_distances(TensorGap& found) {
  found.gap = found.norm = found.relative_l2 = nan;
  found.estimated = false;
  found.max_ulp.reset();
  found.relative_linf.reset(), found.cosine.reset(), found.needed_rtol.reset();
  found.mean_ulp.reset(), found.bias_ulp.reset();
  found.worst_expected.reset(), found.worst_actual.reset();
}

}  // namespace

DType dtype_of(const TensorSource& source) {
  return facts_of(source).dtype;
}

TensorSource tensor_source(const trace::Trace& trace, const trace::TensorKey& key) {
  return {key, trace.find_sketch(key), &trace};
}

TensorGap measure_tensor(const TensorSource& expected, const TensorSource& actual, TensorDetail detail,
                         const measure::DifferencePolicy& policy, Proof proof) {
  TensorGap found;
  const Facts e = facts_of(expected);
  const Facts a = facts_of(actual);
  const bool sketches = expected.sketch && actual.sketch;
  found.residues = e.dtype == DType::residue64 && a.dtype == DType::residue64;
  if (sketches) {
    found.nan_count = expected.sketch->nan_count + actual.sketch->nan_count;
    found.inf_count = expected.sketch->inf_count + actual.sketch->inf_count;
  }
  if (e.shape != a.shape) {
    found.mismatch = fmt::format("shape {} against {}", to_string(e.shape), to_string(a.shape));
    found.gap = found.relative_l2 = nan;
    return found;
  }
  if (e.dtype != a.dtype)
    found.dtypes = fmt::format("{} against {}", name_of(e.dtype), name_of(a.dtype));
  if (sketches && same_by_digest(*expected.sketch, *actual.sketch, policy)) {
    prove_equal(expected, actual, proof);
    found.identical = true;
    found.norm = expected.sketch->norm;
    found.max_ulp = 0;
    found.differing = 0;
    return found;
  }
  if (expected.whole() && actual.whole() && e.dtype == a.dtype)
    measure_whole(found, expected, actual, detail, policy, proof);
  else if (sketches && comparable(*expected.sketch, *actual.sketch)) {
    prove(expected);
    prove(actual);
    estimate(found, *expected.sketch, *actual.sketch);
    refuse_blind_estimate(found, e.dtype == a.dtype);
  } else if (expected.whole() && actual.whole())
    std::tie(found.gap, found.norm) =
        subtract(expected.trace->tensor(expected.key), actual.trace->tensor(actual.key));
  else {
    found.mismatch = sketches ? "the sketches have no values to subtract, or not as many on both sides"
                              : "one side is whole, the other a sketch";
    found.gap = nan;
  }
  found.relative_l2 = relative_gap(found.gap, found.norm);
  if (found.residues)
    forget_distances(found);
  return found;
}

double tensor_distance(const TensorSource& expected, const TensorSource& actual) {
  TensorGap found;
  if (expected.sketch && actual.sketch && expected.sketch->shape == actual.sketch->shape &&
      comparable(*expected.sketch, *actual.sketch)) {
    found.nan_count = expected.sketch->nan_count + actual.sketch->nan_count;
    found.inf_count = expected.sketch->inf_count + actual.sketch->inf_count;
    estimate(found, *expected.sketch, *actual.sketch);
    return found.gap;
  }
  return measure_tensor(expected, actual).gap;
}

Json TensorGap::measured() const {
  Json json = {{"relative_l2", json_number(relative_l2)}, {"nan", nan_count}, {"inf", inf_count}};
  if (residues)
    return {{"differing", differing}};
  if (max_ulp && !integral)
    json["max_ulp"] = *max_ulp;
  if (relative_linf)
    json["relative_linf"] = json_number(*relative_linf);
  if (cosine)
    json["cosine"] = json_number(*cosine);
  if (needed_rtol)
    json["needed_rtol"] = json_number(*needed_rtol);
  if (mean_ulp && bias_ulp && !integral) {
    json["mean_ulp"] = json_number(*mean_ulp);
    json["bias_ulp"] = json_number(*bias_ulp);
  }
  if (relative_l2 > 0)
    json["sqnr_db"] = json_number(sqnr_db());
  return json;
}

double TensorGap::sqnr_db() const {
  return -20 * std::log10(relative_l2);
}

results::TensorRow TensorGap::row(const trace::TensorKey& key) const {
  results::TensorRow row{key.step, std::string(name_of(key.phase)), key.name, identical, {}};
  row.measured = {{"relative_l2", json_number(relative_l2)}, {"estimated", estimated}};
  if (max_ulp)
    row.measured["max_ulp"] = *max_ulp;
  return row;
}

std::string TensorGap::text(const std::string& expected_name, const std::string& actual_name) const {
  if (!mismatch.empty())
    return mismatch + fmt::format(" ({}, {})", expected_name, actual_name);
  if (residues)
    return differing < 0
               ? "other residues"
               : fmt::format("{} residue{} differ{}, one at [{}]", differing, differing == 1 ? "" : "s",
                             differing == 1 ? "s" : "", fmt::join(worst, ", "));
  std::string text = dtypes.empty() ? "" : dtypes + ", ";
  if (nan_count + inf_count > 0)
    text += fmt::format("{} NaN and {} infinite elements over both sides, ", nan_count, inf_count);
  if (estimated)
    return text +
           fmt::format("relative L2 gap about {} (estimated from sketches), most in the flat elements {}-{}",
                       size_text(relative_l2), block.first, block.second - 1);
  if (differing >= 0)
    text += fmt::format("{} element{} differ{}, ", differing, differing == 1 ? "" : "s",
                        differing == 1 ? "s" : "");
  text += "relative L2 gap " + size_text(relative_l2);
  if (max_ulp && !integral && *max_ulp <= most_ulps_shown)
    text += fmt::format(", at most {} ULP{}", *max_ulp, *max_ulp == 1 ? "" : "s");
  if (differing > 0 && worst_expected && worst_actual)
    text += fmt::format("; most at [{}]: {} {}, {} {}", fmt::join(worst, ", "), expected_name,
                        number_text(*worst_expected, as_float32), actual_name,
                        number_text(*worst_actual, as_float32));
  return text;
}

}  // namespace parity::compare
