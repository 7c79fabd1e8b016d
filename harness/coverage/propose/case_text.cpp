// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/case_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/json/json.hpp"
#include "harness/coverage/features.hpp"

namespace parity::coverage {
namespace {

/// Returns settings as lines of TOML, with dotted keys.
std::string toml_lines(const suite::FlatConfig& settings) {
  std::string text;
  for (const auto& [key, value] : settings)
    text += fmt::format("{} = {}\n", key, json_text(value));
  return text;
}

std::string names_text(const std::vector<size_t>& chosen) {
  std::string text;
  for (size_t i = 0; i < chosen.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", features()[chosen[i]].name);
  return text.empty() ? "no feature" : text;
}

bool has(const ProposedCase& proposed, std::string_view feature) {
  return std::ranges::any_of(proposed.features, [&](size_t i) { return features()[i].name == feature; });
}

/// Returns whether the loss is a number that arms can compare. Advantages of a group add up to 0, and so does
/// a policy's mean over completions at its own weights: what is left of it is rounding.
bool has_loss(const ProposedCase& proposed) {
  return !has(proposed, "policy_divisor") && !has(proposed, "sequence_loss");
}

/// Returns the features of an arm that the plain arm lacks.
std::vector<size_t> own_features(const ProposedCase& proposed, const ProposedArm& arm) {
  std::vector<size_t> own;
  for (const size_t feature : arm.features)
    if (std::ranges::find(proposed.features, feature) == proposed.features.end())
      own.push_back(feature);
  return own;
}

std::string check_text(const std::string& channels, const std::string& arm, const char* relation,
                       const std::string& because) {
  return fmt::format(
      "\n[[checks]]\nchannel  = [{}]\narms     = [\"plain\", \"{}\"]\nrelation = \"{}\"\nbecause  = \"{}\"\n",
      channels, arm, relation, because);
}

std::string checks_of(const ProposedCase& proposed, const ProposedArm& arm) {
  std::string measured = has_loss(proposed) ? R"("loss", "grad_norm", "update_norm")"
                                            : R"("entropy", "grad_norm", "update_norm")";
  if (has(proposed, "evaluation"))
    measured += R"(, "eval_loss")";
  std::string exact = R"("lr", "batch_digest", "valid_tokens")";
  if (has(proposed, "rollouts"))
    exact += R"(, "rollout_digest")";
  if (has(proposed, "decay_ramp"))
    exact += R"(, "weight_decay")";
  if (has(proposed, "document_mask"))
    exact += R"(, "mask_pairs", "position_digest")";
  return check_text(exact, arm.name, "identical", "both arms train on the same rows at the same rates") +
         check_text(measured, arm.name, arm.same_bits ? "identical" : "equivalent",
                    names_text(own_features(proposed, arm)) +
                        " change how an update is computed, not what it computes");
}

}  // namespace

std::string case_text(const ProposedCase& proposed) {
  std::string text = fmt::format(
      "# SPDX-FileCopyrightText: The parity authors\n# SPDX-License-Identifier: Apache-2.0\n"
      "# Written by parity coverage --write.\n"
      "title     = \"Pairs of features: {}\"\n"
      "question  = \"Do these features compute the same update in other layouts and other ways?\"\n"
      "source    = \"parity coverage\"\ntags      = [\"full\", \"pairs\"]\nreference = "
      "\"plain\"\n\n[base]\n{}"
      "\n[arms.plain]\n",
      names_text(proposed.features), toml_lines(proposed.base));
  for (const ProposedArm& arm : proposed.arms)
    text += fmt::format("[arms.{}]\n{}", arm.name, toml_lines(arm.settings));
  text +=
      "\n[golden]\narms = []\n\n[capture]                  # shows empty ranks, cut documents and routing "
      "ties\n"
      "steps  = [1]\nphases = [\"input\", \"forward\"]\n"
      "names  = [\"labels\", \"positions\", \"*.moe.router\"]\n";
  for (const ProposedArm& arm : proposed.arms)
    text += checks_of(proposed, arm);
  return text;
}

}  // namespace parity::coverage
