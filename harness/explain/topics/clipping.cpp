// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/text/wording.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {
namespace {

/// Returns the norm to which a run clips; "none seen" of a recorder that watches clipping and saw none.
std::string max_norm_text(const Recipe& recipe) {
  if (const auto norm = recipe.max_norm())
    return *norm > 0 ? compare::number_text(*norm) : "none";
  if (const Json limits = recipe.recorded().value(Json::json_pointer("/clip/max_norm"), Json());
      limits.is_array())
    return plain_text(limits);  // of several calls
  return recipe.recorded().contains("optimizers") ? "none seen" : "";
}

/// Returns the kind of the norm: "2", "inf".
std::string norm_type(const Recipe& recipe) {
  const Json& facts = recipe.recorded();
  if (!facts.contains("clip") || !facts.at("clip").is_object() || !facts.at("clip").contains("norm_type"))
    return "";
  return plain_text(facts.at("clip").at("norm_type"));
}

/// Returns the value to which a run clips elements; "none seen" as above.
std::string clip_value_text(const Recipe& recipe) {
  const Json& facts = recipe.recorded();
  if (facts.contains("clip") && facts.at("clip").is_object() && facts.at("clip").contains("value"))
    return plain_text(facts.at("clip").at("value"));
  return facts.contains("optimizers") ? "none seen" : "";
}

bool clips_by_value(const Recipe& recipe) {
  const std::string value = clip_value_text(recipe);
  return !value.empty() && value != "none seen";
}

/// Returns in how many updates the recorded norm exceeds the limit.
std::string active_updates(const Recipe& recipe) {
  const auto norms = recipe.channel("grad_norm");
  const auto limit = recipe.max_norm();
  if (!norms || !limit || *limit <= 0)
    return "";
  size_t count = 0;
  for (size_t i = 0; i < norms->size(); ++i)
    count += norms->widened(i) > *limit ? 1 : 0;
  return std::to_string(count);
}

}  // namespace

Finding compare_clipping(const Recipe& first, const Recipe& second) {
  Finding found;
  found.compare("norm to which gradients are clipped", max_norm_text(first), max_norm_text(second),
                "the channel max_norm, or clip by torch.nn.utils.clip_grad_norm_", {"clip."});
  if (clips_by_value(first) || clips_by_value(second))
    found.compare("value to which elements of gradients are clipped", clip_value_text(first),
                  clip_value_text(second), "clipping by torch.nn.utils.clip_grad_value_",
                  {"clip.", "gradient_clip_val"});
  if (!norm_type(first).empty() && !norm_type(second).empty())
    found.compare("order of the clipped norm", norm_type(first), norm_type(second), "");
  const bool has_one_limit = max_norm_text(first) == max_norm_text(second);  // then acting is a consequence
  if (!has_one_limit && !active_updates(first).empty() && !active_updates(second).empty())
    found.compare("updates in which clipping acts", active_updates(first), active_updates(second), "");
  return found;
}

}  // namespace parity::explain
