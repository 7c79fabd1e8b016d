// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/text/policy.hpp"

#include <array>

namespace parity {
namespace {

struct Leniency {
  bool on;
  const char* name;
  const char* words;
};

std::array<Leniency, 3> leniencies(const DifferencePolicy& policy) {
  return {{
      {policy.nan != DifferencePolicy::Nan::never_equal, "equal-nan", "NaN equals NaN"},
      {policy.zero_sign != DifferencePolicy::ZeroSign::counts, "ignore-zero-sign",
       "the sign of zero is ignored"},
      {policy.subnormal != DifferencePolicy::Subnormal::counts, "flush-subnormals",
       "subnormal numbers are zero"},
  }};
}

}  // namespace

std::string policy_text(const DifferencePolicy& policy) {
  std::string text;
  for (const Leniency& each : leniencies(policy))
    if (each.on)
      text += (text.empty() ? "" : ", ") + std::string(each.words);
  return text;
}

Json policy_json(const DifferencePolicy& policy) {
  Json names = Json::array();
  for (const Leniency& each : leniencies(policy))
    if (each.on)
      names.push_back(each.name);
  return names;
}

}  // namespace parity
