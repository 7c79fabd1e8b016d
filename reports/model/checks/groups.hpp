// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Groups the checks that a page shows as one row: those that passed, have the same kind and relation, and
/// are about one run each (an arm trained, its replicas are equal, it is lawful). A check between arms always
/// has its own row.
class CheckGroups {
 public:
  explicit CheckGroups(const std::vector<Check>& checks);

  /// Returns the positions of the checks in the group of this one, in order, or null if it is in no group.
  const std::vector<size_t>* of(size_t check) const;

 private:
  std::map<std::pair<results::CheckKind, std::string>, std::vector<size_t>>
      groups_;  ///< by kind and relation
  std::map<size_t, const std::vector<size_t>*> group_of_;
};

}  // namespace parity::reports
