// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/compare/check.hpp"
#include "harness/golden/evidence_record.hpp"

namespace parity {

/// What a check is about.
enum class CheckKind {
  pair,      ///< a claim of the case file, about its arms
  training,  ///< the arm's loss fell
  replicas,  ///< ranks that hold the same tensor hold the same bits
  golden,    ///< an arm against what is stored of it
};

template <>
struct EnumNames<CheckKind> {
  static constexpr std::string_view what = "kind of check";
  static constexpr std::array<std::string_view, 4> names = {"pair", "training", "replicas", "golden"};
};

/// One line of a case's results: a claim and what was found.
struct JudgedCheck {
  CheckKind kind = CheckKind::pair;
  std::string quantity;  ///< "lr", "grad layers.*.wq.weight"
  Check claim;
  CheckResult result;
  /// Where its float64 evidence comes from if a golden held it; nothing where twins ran, or none were needed.
  std::optional<EvidenceOrigin> stored = {};
};

}  // namespace parity
