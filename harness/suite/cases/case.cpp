// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/case.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace parity::suite {

Json RunSpan::to_json() const {
  Json json = {{"stop_after", stop_after},
               {"checkpoint_every", checkpoint_every},
               {"start_run", start_run},
               {"start_step", start_step}};
  if (!teacher_run.empty())
    json["teacher_run"] = teacher_run;
  return json;
}

const Arm& Case::arm(const std::string& wanted) const {
  const auto found = std::find_if(arms.begin(), arms.end(), [&](const Arm& a) { return a.name == wanted; });
  require(found != arms.end(), "case " + name + " has no arm " + wanted);
  return *found;
}

}  // namespace parity::suite
