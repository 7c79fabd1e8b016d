// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Failed checks against the golden that say of an arm what an earlier one said: one changed option moves
/// every stored quantity of an arm. By the sentence that stands for them: "4 more stored quantities of b are
/// different: loss, lr, grad, param".
struct FoldedChecks {
  std::set<const Check*> checks;
  std::vector<std::string> sentences;
};
FoldedChecks folded_checks(const std::vector<Check>& checks);

}  // namespace parity::reports
