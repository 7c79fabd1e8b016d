// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Failed checks against the golden that repeat an earlier failure of an arm, since one changed
/// option moves every stored quantity of the arm. Their key is the sentence that replaces them: "4 more
/// stored quantities of b are different: loss, lr, grad, param".
struct FoldedChecks {
  std::set<const Check*> checks;
  std::vector<std::string> sentences;
};
FoldedChecks folded_checks(const std::vector<Check>& checks);

}  // namespace parity::reports
