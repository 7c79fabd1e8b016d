// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/text/step_set.hpp"
#include "harness/results/check.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// Quantities ("loss", "grad layers.0.wq.weight") and the steps of each.
using Covered = std::map<std::string, StepSet>;

/// What a check asks of one side, what the side has of it, and what was compared.
struct CoveredSide {
  std::string name;         ///< "b", "the golden"
  Covered asked;            ///< what the case asks, whatever the traces hold
  Covered found;            ///< what the side has of it
  Covered compared;         ///< what the comparison used
  int64_t ranks_asked = 0;  ///< 0: not stated
  int64_t ranks_found = 0;
};

/// What the quantities of a coverage are.
enum class CoveredKind { channels, tensors, laws, run };

/// What a verdict rests on, for each side. If it is empty, nothing is known to have been compared, and no
/// check passes.
struct Coverage {
  std::vector<CoveredSide> sides;  ///< in the order of the relation
  CoveredKind kind = CoveredKind::channels;
  std::string stated = {};  ///< what was compared, in words, where quantities and steps do not say it

  /// Records what a comparison took from one side.
  void add(size_t side, const std::string& quantity, const std::vector<int64_t>& steps);
  void add(size_t side, const trace::TensorKey& key);
  void add(size_t side, const Covered& compared);
  /// Records what a comparison took from the first and the second side, at the same steps.
  void add_pair(const std::string& quantity, const std::vector<int64_t>& steps);

  /// Returns in words how what was compared falls short of what was asked. "" if the two are equal and not
  /// empty.
  std::string shortfall() const;
  /// Returns "2 channels at steps 1-10", "12 tensors at steps 1, 10", "law clip at steps 1-3" or "9 channels
  /// and 120 tensors at steps 0-10"; "nothing" if empty.
  std::string text() const;
  /// Returns the amounts of each side, for results.
  results::Coverage summary() const;

 private:
  CoveredSide& side(size_t number);
};

/// The quantity of a check that names no law.
inline constexpr const char* all_laws_together = "laws";

/// Returns the quantity of a channel in the coverage of a run as a whole: "channel loss".
std::string quantity_of_channel(std::string_view channel);

/// Returns the channel of such a quantity; any other quantity unchanged.
std::string_view channel_of_quantity(std::string_view quantity);

/// Returns the quantity of a law: "law clip".
std::string quantity_of_law(std::string_view law);

/// Returns the quantity of a tensor: "grad layers.0.wq.weight".
std::string quantity_of(const trace::TensorKey& key);

}  // namespace parity::compare
