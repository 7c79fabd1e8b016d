// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/checks/groups.hpp"

namespace parity::reports {
namespace {

bool is_about_one_run(const Check& check) {
  return check.kind == results::CheckKind::training || check.kind == results::CheckKind::replicas ||
         check.kind == results::CheckKind::laws;
}

}  // namespace

CheckGroups::CheckGroups(const std::vector<Check>& checks) {
  for (size_t i = 0; i < checks.size(); ++i)
    if (checks[i].passed && is_about_one_run(checks[i]))
      groups_[{checks[i].kind, checks[i].relation}].push_back(i);
  for (const auto& [key, numbers] : groups_)
    if (numbers.size() > 1)
      for (const size_t number : numbers)
        group_of_[number] = &numbers;
}

const std::vector<size_t>* CheckGroups::of(size_t check) const {
  const auto found = group_of_.find(check);
  return found == group_of_.end() ? nullptr : found->second;
}

}  // namespace parity::reports
