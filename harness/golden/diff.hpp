// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::golden {

/// A quantity that differs between two recordings of a golden.
struct GoldenDifference {
  enum class Kind { changed, added, removed };
  Kind kind = Kind::changed;
  std::string arm;
  std::string quantity;  ///< "loss", "loss (float64 twin)", "grad", "all"
  std::string differs;   ///< "3 of 10", "1 of 40 tensors (2 unmatched)"
  std::optional<int64_t> first_step;
  /// For a phase: the first tensor that differs.
  std::string tensor;
  std::string before;  ///< the value at the first step
  std::string after;
  std::optional<uint64_t> max_ulp;
  std::optional<double> relative_l2;
  /// Whether the gap is estimated from block sums, not from the values.
  bool estimated = false;
  /// Of an operator's arm: the first point of its sweep that differs, "b = 5, v = 32, float32".
  std::string point = {};

  Json to_json() const;
};

/// Returns whether a difference is in values that both sides store of a float64 twin.
bool is_in_twin(const GoldenDifference& difference);

/// Returns the differences arm by arm: channels, digests by phase, channels of twins.
std::vector<GoldenDifference> golden_differences(const GoldenContent& before, const GoldenContent& after);

/// Returns whether every stored value is the same, bit for bit, whatever the configs and environments. Twins
/// count only if both sides have them.
bool same_values(const GoldenContent& before, const GoldenContent& after);

/// Returns how config and environment differ in arms that both recordings have, a line each: "one_indexed:
/// config: ...".
std::vector<std::string> golden_notes(const GoldenContent& before, const GoldenContent& after);

/// Returns the changes that are in the history of `after` but not of `before`.
GoldenHistory new_changes(const Golden& before, const Golden& after);

/// Returns what changed between two recordings of a golden, as Markdown for a review. The table has a row per
/// channel that differs, with the number of steps, the first one with both values, max ULP and relative L2
/// gap. A row per phase covers the digests. Config, environment, evidence and the stated reasons follow. The
/// text says so if only provenance differs.
std::string golden_diff(const Golden& before, const Golden& after);

}  // namespace parity::golden
