// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/explain/joined_inputs.hpp"
#include "harness/explain/topic.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::explain {
namespace {

using trace::Phase;
using trace::SketchRow;

constexpr const char* record_parameters = "the phase param at step 0";

/// Rows of the parameters of one step.
using Parameters = std::map<std::string, const SketchRow*>;

/// Returns the parameters before the first update; else those of the first step that has any.
Parameters parameters_of(const Recipe& recipe, bool initial) {
  std::optional<int64_t> step = initial ? std::optional<int64_t>(0) : std::nullopt;
  Parameters found;
  for (const SketchRow& row : recipe.trace().sketches()) {
    if (row.key.phase != Phase::param || (step && row.key.step != *step))
      continue;
    step = row.key.step;
    found[row.key.name] = &row;
  }
  return found;
}

/// Rows of one parameter or buffer by rank; -1 for one that all ranks share.
using OfRanks = std::map<int64_t, const SketchRow*>;

std::map<std::string, OfRanks> by_rank(const Recipe& recipe, const Parameters& parameters) {
  std::map<std::string, OfRanks> found;
  for (const auto& [full, row] : parameters) {
    std::string name = full;
    const int64_t rank = recipe.trace().ranks() > 1 ? take_number(name, "#") : -1;
    found[name][rank] = row;
  }
  return found;
}

/// Returns the row of a buffer that all ranks recorded with the same bits; null otherwise.
const SketchRow* shared_row(const Recipe& recipe, const OfRanks& rows) {
  const SketchRow* const first = rows.begin()->second;
  const bool is_complete =
      rows.contains(-1) ? rows.size() == 1 : static_cast<int64_t>(rows.size()) == recipe.trace().ranks();
  const bool is_same = std::ranges::all_of(rows, [&](const auto& each) {
    return each.second->digest == first->digest && each.second->shape == first->shape &&
           each.second->dtype == first->dtype;
  });
  return is_complete && is_same ? first : nullptr;
}

/// Returns "norm 2", or "norm 2 on rank 0, norm 3 on rank 1".
std::string norms_of(const OfRanks& rows) {
  std::vector<std::string> items;
  for (const auto& [rank, row] : rows)
    items.push_back(fmt::format("norm {}{}", compare::number_text(row->norm),
                                rank < 0 ? "" : fmt::format(" on rank {}", rank)));
  return fmt::format("{}", fmt::join(items, ", "));
}

/// A buffer that ranks of one run recorded apart, with other values, where the other run has one value.
struct Apart {
  std::string name, first, second;
};

/// Gives a buffer that one run recorded once, and the ranks of the other each for themselves ("mean#0"), one
/// name in both.
/// \return the buffers that are left out: they differ between the ranks of a run, or a rank did not record
/// them
std::vector<Apart> join_ranks(const Recipe& first, const Recipe& second, Parameters& a, Parameters& b) {
  std::vector<Apart> apart;
  const auto of_first = by_rank(first, a), of_second = by_rank(second, b);
  for (const auto& [name, rows] : of_first) {
    const auto other = of_second.find(name);
    if (other == of_second.end() ||
        std::ranges::equal(std::views::keys(rows), std::views::keys(other->second)))
      continue;
    const SketchRow *own = shared_row(first, rows), *their = shared_row(second, other->second);
    for (const auto& [rank, row] : rows)
      a.erase(row->key.name);
    for (const auto& [rank, row] : other->second)
      b.erase(row->key.name);
    if (own && their) {
      a[name] = own;
      b[name] = their;
    } else {
      apart.push_back({name, norms_of(rows), norms_of(other->second)});
    }
  }
  return apart;
}

/// Returns "21 (12345 elements)" of what the recorder counted, else of the recorded tensors.
std::string size_of_model(const Recipe& recipe, const Parameters& parameters) {
  if (const Json& facts = recipe.recorded();
      facts.contains("parameters") && facts.at("parameters").is_object()) {
    const Json& all = facts.at("parameters");
    if (all.contains("count") && all.contains("elements"))
      return fmt::format("{} ({} elements)", plain_text(all.at("count")), plain_text(all.at("elements")));
  }
  int64_t elements = 0;
  for (const auto& [name, row] : parameters)
    elements += element_count(row->shape);
  return parameters.empty() ? "" : fmt::format("{} ({} elements)", parameters.size(), elements);
}

/// Returns the fact of a recorder as text; "" without it, "none" for an empty one.
std::string recorded_patterns(const Recipe& recipe, const char* group, const char* name) {
  const Json* facts = &recipe.recorded();
  if (*group != '\0') {
    if (!facts->contains(group) || !facts->at(group).is_object())
      return "";
    facts = &facts->at(group);
  }
  if (!facts->contains(name) || !facts->at(name).is_object())
    return "";
  std::vector<std::string> items;
  for (const auto& [key, count] : facts->at(name).items())
    items.push_back(count == 1 ? key : fmt::format("{} ({})", key, plain_text(count)));
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, ", "));
}

std::string dtypes_of(const Recipe& recipe, const Parameters& parameters) {
  if (const std::string text = recorded_patterns(recipe, "parameters", "dtypes"); !text.empty())
    return text;
  std::map<std::string, int64_t> counts;
  for (const auto& [name, row] : parameters)
    ++counts[std::string(name_of(row->dtype))];
  std::vector<std::string> items;
  for (const auto& [dtype, count] : counts)
    items.push_back(fmt::format("{} ({})", dtype, count));
  return fmt::format("{}", fmt::join(items, ", "));
}

std::vector<std::string> names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, row] : parameters)
    names.push_back(name);
  return names;
}

std::string fingerprint_of(const Recipe& recipe) {
  const Json& facts = recipe.trace().provenance();
  if (facts.is_object() && facts.contains("fingerprint") && facts.at("fingerprint").is_object())
    if (const Json& all = facts.at("fingerprint"); all.contains("initial_weights"))
      return plain_text(all.at("initial_weights"));
  return "";
}

/// Compares the parameters that both have before the first update, bit by bit.
void compare_values(Finding& found, const Parameters& first, const Parameters& second) {
  std::set<std::string> differ, shaped;
  size_t shared = 0;
  for (const auto& [name, row] : first) {
    const auto other = second.find(name);
    if (other == second.end())
      continue;
    ++shared;
    const SketchRow& own = *row;
    const SketchRow& their = *other->second;
    if (own.shape != their.shape)
      shaped.insert(name);
    else if (own.dtype != their.dtype || !(own.digest == their.digest) || own.nan_count > 0)
      differ.insert(name);
  }
  const auto all = names_of(first);
  const auto add = [&](const std::set<std::string>& names, const std::string& what, auto&& value) {
    if (names.empty())
      return;
    const std::string& name = *names.begin();
    found.rows.push_back({fmt::format("{} of {} ({})", what, laws::describe(names, all),
                                      compare::count_text(names.size(), "parameter")),
                          value(*first.at(name)), value(*second.at(name)), ""});
  };
  add(shaped, "shape", [](const SketchRow& row) { return to_string(row.shape); });
  add(differ, "initial values", [](const SketchRow& row) {
    return fmt::format("norm {}{}", compare::number_text(row.norm), row.nan_count > 0 ? " with NaN" : "");
  });
  if (differ.empty() && shaped.empty() && shared > 0)
    found.same.push_back(fmt::format("initial values of {}", compare::count_text(shared, "parameter")));
  if (shared == 0)
    found.unknown.push_back("initial values (no parameter has the same name in both)");
}

/// Returns how many parameters the recorder counted; nothing if it did not say.
std::optional<int64_t> count_of(const Recipe& recipe) {
  const Json& facts = recipe.recorded();
  const Json all = facts.is_object() ? facts.value("parameters", Json()) : Json();
  return all.is_object() && all.contains("count") && all.at("count").is_number_integer()
             ? std::optional(all.at("count").get<int64_t>())
             : std::nullopt;
}

/// Reports parameters that one run has and the other lacks. Without a common name there are no pairs.
/// \param same_number  whether both models are known to have as many parameters, so that one that a single
/// trace
///                     lacks was left out by its capture
void compare_names(Finding& found, const Parameters& first, const Parameters& second, bool same_number) {
  std::set<std::string> only_first, only_second;
  for (const auto& [name, row] : first)
    if (!second.contains(name))
      only_first.insert(name);
  for (const auto& [name, row] : second)
    if (!first.contains(name))
      only_second.insert(name);
  if (only_first.size() == first.size() || (only_first.empty() && only_second.empty()))
    return;
  if (same_number && (only_first.empty() || only_second.empty())) {
    const auto& left_out = only_first.empty() ? only_second : only_first;
    found.unknown.push_back(
        fmt::format("{} that one trace alone recorded", compare::count_text(left_out.size(), "parameter")));
    return;
  }
  const auto text = [](const std::set<std::string>& names, const Parameters& all) {
    return names.empty() ? "none" : laws::describe(names, names_of(all));
  };
  found.rows.push_back(
      {"parameters of one run only", text(only_first, first), text(only_second, second), ""});
}

}  // namespace

Finding compare_weights(const Recipe& first, const Recipe& second) {
  Finding found;
  Parameters a = parameters_of(first, false), b = parameters_of(second, false);
  const std::vector<Apart> apart = join_ranks(first, second, a, b);
  const char* const need = "the phase param";
  found.compare("number of parameters", size_of_model(first, a), size_of_model(second, b), need,
                {"architecture.", "model"});
  found.compare("dtype of parameters", dtypes_of(first, a), dtypes_of(second, b), need, {"dtype"});
  if (!a.empty() && !b.empty())
    compare_names(found, a, b, count_of(first) && count_of(first) == count_of(second));
  if (!first.recorded().empty() && !second.recorded().empty()) {
    found.compare("frozen parameters", recorded_patterns(first, "parameters", "frozen"),
                  recorded_patterns(second, "parameters", "frozen"), need);
    found.compare("parameters without an optimizer", recorded_patterns(first, "", "without_optimizer"),
                  recorded_patterns(second, "", "without_optimizer"), need);
  }
  Parameters initial_a = parameters_of(first, true), initial_b = parameters_of(second, true);
  const std::vector<Apart> initially_apart = join_ranks(first, second, initial_a, initial_b);
  for (const Apart& one : initially_apart)
    found.rows.push_back({"initial values of " + one.name, one.first, one.second, ""});
  for (const Apart& one : initially_apart.empty() ? apart : std::vector<Apart>())
    found.unknown.push_back(one.name + " (its values differ between the ranks of a run)");
  if (initial_a.empty() || initial_b.empty())
    found.compare("digest of the initial values", fingerprint_of(first), fingerprint_of(second),
                  record_parameters, {"seed"});
  else
    compare_values(found, initial_a, initial_b);
  return found;
}

}  // namespace parity::explain
