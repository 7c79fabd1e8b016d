// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/text/policy.hpp"

#include <array>

namespace parity::compare {
namespace {

struct Leniency {
  bool on;
  const char* name;
  const char* words;
};

std::array<Leniency, 3> leniencies(const measure::DifferencePolicy& policy) {
  return {{
      {policy.nan != measure::DifferencePolicy::Nan::never_equal, "equal-nan", "NaN equals NaN"},
      {policy.zero_sign != measure::DifferencePolicy::ZeroSign::counts, "ignore-zero-sign",
       "the sign of zero is ignored"},
      {policy.subnormal != measure::DifferencePolicy::Subnormal::counts, "flush-subnormals",
       "subnormal numbers are zero"},
  }};
}

}  // namespace

std::string policy_text(const measure::DifferencePolicy& policy) {
  std::string text;
  for (const Leniency& each : leniencies(policy))
    if (each.on)
      text += (text.empty() ? "" : ", ") + std::string(each.words);
  return text;
}

Json policy_json(const measure::DifferencePolicy& policy) {
  Json names = Json::array();
  for (const Leniency& each : leniencies(policy))
    if (each.on)
      names.push_back(each.name);
  return names;
}

}  // namespace parity::compare
