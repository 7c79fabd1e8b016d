// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/measure/difference/difference.hpp"
#include "harness/results/check.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// What is known of one tensor: its sketch row, its values, or both. Nothing is owned, and values are not
/// read yet.
struct TensorSource {
  trace::TensorKey key;
  const trace::SketchRow* sketch = nullptr;
  const trace::Trace* trace = nullptr;  ///< null if only a sketch exists (a golden)

  bool whole() const { return trace && trace->has_tensor(key); }
};

/// Returns what a trace recorded of the tensor `key`.
TensorSource tensor_source(const trace::Trace& trace, const trace::TensorKey& key);

/// Returns the dtype of a tensor's elements, from its sketch row if there is one.
/// \throws UserError if there are only the values and they cannot be read
DType dtype_of(const TensorSource& source);

/// The difference of an actual tensor (a) from an expected one (e), measured once.
///
/// It comes from equal digests, from the values of both tensors, or from their sketches (`estimated`).
/// Members that need values of one dtype are set only if both tensors were whole and of one dtype.
struct TensorGap {
  bool identical = false;  ///< same dtype, shape and bits, and no NaN
  /// Why the two cannot be subtracted ("shape (2, 3) against (3, 2)"); "" if they can.
  std::string mismatch;
  /// "float32 against float64"; "" if the dtypes are equal.
  std::string dtypes;
  bool estimated = false;  ///< estimated from sketches
  /// ||a - e||_2; NaN if the tensors cannot be subtracted or a value is not finite.
  double gap = 0;
  double norm = 0;  ///< ||e||_2
  double relative_l2 = 0;
  int64_t nan_count = 0;  ///< over both sides
  int64_t inf_count = 0;
  /// Set for values of one dtype, unless a NaN has no distance; 0 for equal digests.
  std::optional<uint64_t> max_ulp;
  /// Set for values of one dtype. bias_ulp is above 0 if a is higher on average.
  std::optional<double> relative_linf, cosine, needed_rtol;
  std::optional<double> mean_ulp, bias_ulp;
  /// Set for values of one dtype, on request (TensorDetail::profile).
  std::optional<measure::DifferenceProfile> profile;
  /// Coordinates of the element that differs most, for values of one dtype; empty if unknown.
  std::vector<int64_t> worst;
  /// Values of that element. Set for values of one dtype.
  std::optional<double> worst_expected;
  std::optional<double> worst_actual;
  bool as_float32 = false;  ///< elements are printed as float32
  bool integral = false;    ///< the elements are integers, of which no ULPs are printed
  bool residues = false;    ///< the elements are residues, which have no distance: `gap` is NaN
  int64_t differing = -1;   ///< differing elements; -1 if unknown
  /// Flat elements [first, second) that differ most. Set if `estimated`.
  std::pair<int64_t, int64_t> block = {0, 0};

  /// Returns the known metrics: {"relative_l2", "max_ulp", "nan", "inf", ...}.
  Json measured() const;
  /// Returns the signal-to-noise ratio [dB], -20 log10 of the relative L2 gap.
  double sqnr_db() const;
  /// Returns what a table calls the difference: "different", "different (estimate)" or "other residues".
  std::string difference_word() const {
    return residues ? "other residues" : estimated ? "different (estimate)" : "different";
  }
  /// Returns the row of a check of tensors, with the metrics relative_l2, max_ulp and estimated.
  results::TensorRow row(const trace::TensorKey& key) const;
  /// Returns "12 of 4096 elements, relative L2 gap 3.1e-08, at most 4 ULPs; most at [3, 17]: a 0.1, b 0.2".
  std::string text(const std::string& expected_name, const std::string& actual_name) const;
};

/// What to measure of two whole tensors.
enum class TensorDetail { numbers, profile };

/// When recorded values are compared with the digests of their rows. Even with AVX2, both digests take four
/// times as long as the difference.
/// - values:    for every tensor that is measured.
/// - agreement: only if the answer "identical" rests on the values. Values that differ are reported
///   unchecked.
enum class Proof { values, agreement };

/// Measures the difference of two tensors. Equal digests decide, once recorded values were found to match
/// them. Otherwise whole tensors are compared if both sides have them. Otherwise the sketches give the
/// estimate sqrt(sum_b (s_b - s'_b)^2), whose error measure/tensor/sketch.hpp states (METRICS.md M16). An
/// estimate of 0 between different digests is not a measurement: the gap is NaN.
///
/// Different dtypes are never identical but can be subtracted, such as a float32 arm from its float64 twin. A
/// policy that is less strict needs whole tensors of one dtype, because a sketch has no elements to which it
/// could apply.
/// \throws UserError if a part of a whole tensor cannot be read, or its values do not match its row
TensorGap measure_tensor(const TensorSource& expected, const TensorSource& actual,
                         TensorDetail detail = TensorDetail::numbers,
                         const measure::DifferencePolicy& policy = {}, Proof proof = Proof::values);

/// Returns the norm of the gap, from the sketches if both sides have them; for measured floors.
double tensor_distance(const TensorSource& expected, const TensorSource& actual);

}  // namespace parity::compare
