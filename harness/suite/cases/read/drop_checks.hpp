// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Removes the checks that a predicate selects from a case, with their positions.
template <class Predicate>
void drop_checks_if(Case& item, Predicate is_unwanted) {
  for (size_t i = item.checks.size(); i-- > 0;) {
    if (!is_unwanted(item.checks[i]))
      continue;
    item.checks.erase(item.checks.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < item.check_places.size())
      item.check_places.erase(item.check_places.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Removes the checks against arms, or those against the golden, from a case.
inline void drop_checks(Case& item, compare::Against against) {
  drop_checks_if(item, [against](const compare::Check& check) { return check.against == against; });
}

}  // namespace parity::suite
