// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/planned_case.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace parity::suite {
namespace {

template <class Arms>
auto& find_arm(Arms& arms, const std::string& name) {
  const auto found =
      std::find_if(arms.begin(), arms.end(), [&](const PlannedArm& arm) { return arm.name == name; });
  require(found != arms.end(), "no arm " + name + " is planned");
  return *found;
}

}  // namespace

std::vector<std::string> PlannedArm::runs() const {
  std::vector<std::string> ids;
  for (const std::string& id : {run, twin, exact, repeat})
    if (!id.empty())
      ids.push_back(id);
  for (const PlannedRepetition& each : repetitions)
    if (each.id != repeat)
      ids.push_back(each.id);
  for (const WatchedRun& each : watched)
    ids.push_back(each.id);
  return ids;
}

PlannedArm& PlannedCase::arm(const std::string& name) {
  return find_arm(arms, name);
}

const PlannedArm& PlannedCase::arm(const std::string& name) const {
  return find_arm(arms, name);
}

}  // namespace parity::suite
