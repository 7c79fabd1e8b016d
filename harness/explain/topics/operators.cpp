// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/explain/topic.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::explain {
namespace {

/// A kind of operators, by words of which a name has one.
struct Kind {
  std::string_view name;
  std::vector<std::string_view> words;
};

/// The first kind that matches counts. So a fused attention does not count as a matrix product.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"collectives", {"c10d::", "c10d_functional::", "all_reduce", "all_gather", "reduce_scatter"}},
      {"attention",
       {"scaled_dot_product", "flash_attention", "flash_attn", "efficient_attention", "flex_attention"}},
      {"loss", {"nll_loss", "cross_entropy"}},
      {"norms", {"layer_norm", "rms_norm", "rsqrt", "linalg_vector_norm"}},
      {"softmax", {"softmax"}},
      {"matrix products", {"::mm", "::addmm", "::bmm", "::baddbmm", "::matmul", "::linear", "grouped_mm"}},
  };
  return all;
}

std::string_view kind_of(const std::string& op) {
  for (const Kind& kind : kinds())
    if (std::ranges::any_of(kind.words,
                            [&](std::string_view word) { return op.find(word) != std::string::npos; }))
      return kind.name;
  return "";
}

/// What the operators of one update are.
struct Operators {
  std::map<std::string, std::set<std::string>> names;   ///< by kind: "aten::mm"
  std::map<std::string, std::set<std::string>> dtypes;  ///< by kind, of outputs
  std::map<std::string, size_t> collectives;            ///< by name, of rank 0
};

/// Returns the modules of which operators were recorded. A capture may list some only, as that of bisect
/// does.
std::set<std::string> modules_of(const Recipe& recipe) {
  std::set<std::string> modules;
  for (const trace::SketchRow& row : recipe.trace().sketches())
    if (const auto tensor = trace::parse_operator_tensor(row.key.name))
      modules.insert(tensor->module);
  return modules;
}

std::set<std::string> shared_modules(const Recipe& first, const Recipe& second) {
  const std::set<std::string> a = modules_of(first), b = modules_of(second);
  std::set<std::string> shared;
  std::ranges::set_intersection(a, b, std::inserter(shared, shared.end()));
  return shared;
}

/// Returns the operators of these modules, of the first update of which any were recorded.
std::optional<Operators> operators_of(const Recipe& recipe, const std::set<std::string>& modules) {
  std::optional<Operators> found;
  std::optional<int64_t> step;
  for (const trace::SketchRow& row : recipe.trace().sketches()) {
    const auto tensor = trace::parse_operator_tensor(row.key.name);
    if (!tensor || !tensor->is_output() || !modules.contains(tensor->module) ||
        (step && row.key.step != *step))
      continue;
    step = row.key.step;
    if (!found)
      found.emplace();
    const std::string kind(kind_of(tensor->op));
    if (kind.empty())
      continue;
    found->names[kind].insert(tensor->op);
    found->dtypes[kind].insert(std::string(name_of(row.dtype)));
    if (kind == "collectives" && tensor->rank.value_or(0) == 0)
      ++found->collectives[tensor->op];
  }
  return found;
}

std::string joined(const std::set<std::string>& items) {
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, ", "));
}

std::string counted(const std::map<std::string, size_t>& counts) {
  std::vector<std::string> items;
  for (const auto& [name, count] : counts)
    items.push_back(fmt::format("{} {}", count, name));
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, ", "));
}

/// Returns the dtypes of what modules return, over all updates.
std::string dtypes_of_outputs(const Recipe& recipe) {
  std::set<std::string> dtypes;
  for (const trace::SketchRow& row : recipe.trace().sketches())
    if (row.key.phase == trace::Phase::forward && row.key.name.find('@') == std::string::npos)
      dtypes.insert(std::string(name_of(row.dtype)));
  return dtypes.empty() ? "" : joined(dtypes);
}

std::string attention_of(const Recipe& recipe) {
  const Json& facts = recipe.recorded();
  return facts.contains("attention") ? plain_text(facts.at("attention"))
                                     : recipe.run().config_text("attention.backend");
}

}  // namespace

Finding compare_operators(const Recipe& first, const Recipe& second) {
  Finding found;
  if (!attention_of(first).empty() && !attention_of(second).empty())
    found.compare("attention", attention_of(first), attention_of(second), "", {"attention.backend"});
  const std::set<std::string> modules = shared_modules(first, second);
  const auto a = operators_of(first, modules), b = operators_of(second, modules);
  if (!a || !b) {
    const std::string own = dtypes_of_outputs(first), their = dtypes_of_outputs(second);
    if (!own.empty() && !their.empty())
      found.compare("dtypes of what modules return", own, their, "");
    found.unknown.push_back(
        "operators, their precision, and collectives (record {\"operators\": ...} in both, or run parity "
        "bisect)");
    return found;
  }
  for (const Kind& kind : kinds()) {
    const std::string name(kind.name);
    const auto of = [&](const std::map<std::string, std::set<std::string>>& all) {
      const auto members = all.find(name);
      return members == all.end() ? "none" : joined(members->second);
    };
    if (kind.name == "collectives") {
      found.compare("collectives of an update", counted(a->collectives), counted(b->collectives), "");
      continue;
    }
    if (!a->names.contains(name) && !b->names.contains(name))
      continue;
    found.compare(name, of(a->names), of(b->names), "");
    found.compare("precision of " + name, of(a->dtypes), of(b->dtypes), "");
  }
  return found;
}

}  // namespace parity::explain
