// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/measure/difference.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// What is known of one tensor: its sketch row, the whole of it, or both. Nothing is owned or read yet.
struct TensorSource {
  TensorKey key;
  const SketchRow* sketch = nullptr;
  const Trace* trace = nullptr;  ///< null where only the sketch is there (a golden)

  bool whole() const { return trace && trace->has_tensor(key); }
};

/// The tensor `key` of a trace, as far as it was recorded.
TensorSource tensor_source(const Trace& trace, const TensorKey& key);

/// Returns the dtype of a tensor's elements, from its sketch row where there is one.
/// \throws UserError if the whole tensor is all there is and cannot be read
DType dtype_of(const TensorSource& source);

/// What lies between two tensors, measured once.
struct TensorGap {
  bool identical = false;  ///< same dtype, shape and bits, and no NaN
  std::string mismatch;  ///< why the two cannot be subtracted ("shape (2, 3) against (3, 2)"); "" if they can
  std::string dtypes;    ///< "float32 against float64"; "" if they are the same
  bool estimated = false;  ///< from sketches
  double gap = 0;          ///< ||a - e||_2; NaN if they cannot be subtracted or a number is not finite
  double norm = 0;         ///< ||e||_2
  double relative_l2 = 0;
  int64_t nan_count = 0;  ///< over both sides
  int64_t inf_count = 0;
  std::optional<uint64_t> max_ulp;  ///< with `worst`, only of whole tensors of one dtype
  std::optional<double> relative_linf, cosine, needed_rtol;
  std::optional<double> mean_ulp,
      bias_ulp;  ///< of whole tensors of one dtype; bias: above 0 where a lies higher
  std::optional<DifferenceProfile> profile;  ///< likewise, and only on request
  std::vector<int64_t> worst;            ///< coordinates of the element that differs most; empty if not known
  std::optional<double> worst_expected;  ///< its values, likewise
  std::optional<double> worst_actual;
  bool as_float32 = false;  ///< print elements as float32
  int64_t differing = -1;   ///< elements; -1 if not known
  std::pair<int64_t, int64_t> block = {0,
                                       0};  ///< estimated: the flat elements [first, second) that differ most

  /// {"relative_l2", "max_ulp", "nan", "inf", ...}: what is known.
  Json measured() const;
  /// Signal to noise, -20 log10 of the relative L2 gap.
  double sqnr_db() const;
  /// A row of results.json: {"step", "phase", "name", "relative_l2", "max_ulp", "identical", "estimated"}.
  Json row(const TensorKey& key) const;
  /// "12 of 4096 elements, relative L2 gap 3.1e-08, at most 4 ULPs; most at [3, 17]: a 0.1, b 0.2".
  std::string text(const std::string& expected_name, const std::string& actual_name) const;
};

/// What to measure of two whole tensors.
enum class TensorDetail { numbers, profile };

/// Whether values that are in the files are compared with the digests of their rows. With AVX2, both digests
/// take four times as long as the difference.
/// - values:    of every tensor that is measured.
/// - agreement: as far as the answer "identical" rests on them. Values that differ are reported as they are.
enum class Proof { values, agreement };

/// Equal digests settle it, once the values that are in the files are seen to agree with them; otherwise
/// whole tensors where both sides have them; otherwise the sketches' estimate sqrt(sum_b (s_b - s'_b)^2),
/// whose error measure/sketch.hpp gives (METRICS.md M16). An estimate of 0 between different digests is not a
/// measurement: the gap is NaN.
///
/// Different dtypes are never identical but can be subtracted: a float32 arm from its float64 twin.
/// A policy that asks for less needs whole tensors of one dtype: a sketch has no elements to forgive.
/// \throws UserError if a part of a whole tensor cannot be read, or its values are not what its row says
TensorGap measure_tensor(const TensorSource& expected, const TensorSource& actual,
                         TensorDetail detail = TensorDetail::numbers, const DifferencePolicy& policy = {},
                         Proof proof = Proof::values);

/// Only the norm of the gap, from the sketches where both sides have them: for measured floors.
double tensor_distance(const TensorSource& expected, const TensorSource& actual);

}  // namespace parity
