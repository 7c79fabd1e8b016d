// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/case.hpp"

#include <algorithm>

namespace parity::reports {

size_t Case::checks_failed() const {
  return static_cast<size_t>(std::ranges::count_if(checks, [](const Check& item) { return !item.passed; }));
}

}  // namespace parity::reports
