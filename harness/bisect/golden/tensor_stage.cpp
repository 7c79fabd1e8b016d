// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/tensor_stage.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

/// \param updates  the updates with tensors on both sides
std::string describe_equal_tensors(const GoldenGap& gap, const std::vector<std::string>& updates) {
  if (updates.empty())
    return "no stored gradient or parameter was compared";
  if (gap.lone_tensors.empty())
    return fmt::format("every stored gradient and parameter of update {} matches the golden",
                       fmt::join(updates, " and "));
  size_t count = 0;
  for (const GoldenTensors& update : gap.tensors)
    count += update.path.stations.size();
  return fmt::format("of the gradients and parameters of update {}, {} that both have match{} the golden",
                     fmt::join(updates, " and "), count, count == 1 ? "es" : "");
}

/// "2 tensors that a did not record (grad wq at step 1 and param wq at step 10)"; "" if all have a partner.
std::string describe_lone_tensors(const GoldenGap& gap) {
  constexpr size_t most = 3;
  std::vector<std::string> sides;
  for (const bool in_golden : {true, false}) {
    std::vector<std::string> names;
    size_t count = 0;
    for (const LoneTensor& each : gap.lone_tensors)
      if (each.in_golden == in_golden && ++count <= most)
        names.push_back(describe(each.key));
    if (count > most)
      names.push_back(fmt::format("{} more", count - most));
    if (count > 0)
      sides.push_back(fmt::format("{} that {} ({})", compare::count_text(count, "tensor"),
                                  in_golden ? gap.arm + " did not record" : "the golden does not store",
                                  compare::list_text(names)));
  }
  return compare::list_text(sides);
}

Json lone_tensors_json(const GoldenGap& gap) {
  Json rows = Json::array();
  for (const LoneTensor& each : gap.lone_tensors)
    rows.push_back({{"step", each.key.step},
                    {"phase", name_of(each.key.phase)},
                    {"name", each.key.name},
                    {"only_in", each.in_golden ? "golden" : gap.arm}});
  return rows;
}

}  // namespace

std::optional<SearchStage> golden_tensor_stage(const GoldenGap& gap) {
  const std::string lone = describe_lone_tensors(gap);
  if (gap.tensors.empty() && lone.empty())
    return std::nullopt;
  SearchStage stage;
  stage.name = "tensor";
  std::vector<std::string> equal;
  for (const GoldenTensors& update : gap.tensors) {
    const TensorStation* first = update.first();
    if (first == nullptr) {
      equal.push_back(std::to_string(update.step));
      continue;
    }
    stage.answer = fmt::format(
        "{} is the first stored tensor of that update that differs{}{}; {} of {} differ",
        describe(first->key), first->relative ? " (by " + compare::size_text(*first->relative) + ")" : "",
        update.beyond > 0 ? " beyond drift" : "", update.path.differing(update.beyond),
        update.path.stations.size());
    if (!equal.empty())
      stage.answer += fmt::format("; those of update {} match the golden", fmt::join(equal, " and "));
    stage.details["step"] = first->key.step;
    stage.details["phase"] = name_of(first->key.phase);
    stage.details["name"] = first->key.name;
    stage.details["path"] = update.path.to_json();
    break;
  }
  if (stage.answer.empty())
    stage.answer = describe_equal_tensors(gap, equal);
  if (!lone.empty()) {
    stage.answer += "; not compared: " + lone;
    stage.details["not_compared"] = lone_tensors_json(gap);
  }
  return stage;
}

}  // namespace parity::bisect
