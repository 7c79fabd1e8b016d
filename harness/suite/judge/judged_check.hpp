// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/golden/evidence_record.hpp"

namespace parity {

/// The kinds of checks.
enum class CheckKind {
  pair,      ///< a claim of the case file about its arms
  training,  ///< the loss of an arm fell
  replicas,  ///< ranks that hold the same tensor hold the same bits
  golden,    ///< an arm agrees with its golden
};

template <>
struct EnumNames<CheckKind> {
  static constexpr std::string_view what = "kind of check";
  static constexpr std::array<std::string_view, 4> names = {"pair", "training", "replicas", "golden"};
};

/// One line of a case's results: a claim and its result.
struct JudgedCheck {
  CheckKind kind = CheckKind::pair;
  std::string quantity;  ///< "lr", "grad layers.*.wq.weight"
  Check claim;
  CheckResult result;
  /// The origin of its float64 evidence, set if the evidence is from a golden. Not set if twins ran or none
  /// were needed.
  std::optional<EvidenceOrigin> stored = {};
};

}  // namespace parity
