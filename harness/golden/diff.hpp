// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity {

/// One quantity that two recordings of a golden do not share.
struct GoldenDifference {
  enum class Kind { changed, added, removed };
  Kind kind = Kind::changed;
  std::string arm;
  std::string quantity;  ///< "loss", "loss (float64 twin)", "grad", "all"
  std::string differs;   ///< "3 of 10", "1 of 40 tensors (2 unmatched)"
  std::optional<int64_t> first_step;
  std::string tensor;  ///< of a phase: the one that differs first
  std::string before;  ///< the value at the first step
  std::string after;
  std::optional<uint64_t> max_ulp;
  std::optional<double> relative_l2;
  bool estimated = false;  ///< from block sums, not from the values

  Json to_json() const;
};

/// Channels, digests by phase, channels of twins; arm by arm.
std::vector<GoldenDifference> golden_differences(const GoldenContent& before, const GoldenContent& after);

/// Whether every stored value is the same, bit for bit, whatever config and environment were. Twins count
/// only where both sides have them.
bool same_values(const GoldenContent& before, const GoldenContent& after);

/// How config and environment of arms that both have differ, a line each: "one_indexed: config: ...".
std::vector<std::string> golden_notes(const GoldenContent& before, const GoldenContent& after);

/// Changes that `after` has in its history and `before` has not.
GoldenHistory new_changes(const Golden& before, const Golden& after);

/// What changed between two recordings of a golden, as Markdown for a review: a table row a channel that
/// differs (how many steps, the first with both values, max ULP, relative L2 gap) and a row a phase of
/// digests; then config, environment, evidence and the reasons given. Says so where only provenance differs.
std::string golden_diff(const Golden& before, const Golden& after);

}  // namespace parity
