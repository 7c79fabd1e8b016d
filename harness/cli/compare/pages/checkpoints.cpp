// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/pages/checkpoints.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/checkpoints/heat_map.hpp"
#include "harness/cli/compare/pages/parts.hpp"
#include "harness/cli/compare/print_checkpoints.hpp"
#include "harness/cli/compare/sides.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::cli {
namespace {

using checkpoints::CheckpointDifference;
using reports::ComparedTable;

reports::ComparedSide checkpoint_side(const checkpoints::Checkpoint& side, const std::string& label) {
  int64_t elements = 0;
  for (const auto& [name, tensor] : side.tensors)
    elements += tensor.size();
  return {label, facts_of_file(side.path, side.format,
                               {{"tensors", std::to_string(side.tensors.size())},
                                {"elements", std::to_string(elements)}},
                               side.path)};
}

ComparedTable blocks_of(const CheckpointDifference& pair, const std::string& of) {
  const checkpoints::HeatMap map = heat_map(pair.findings);
  ComparedTable table{"Blocks that differ" + of, {"block"}, {}, ""};
  table.heads.insert(table.heads.end(), map.columns.begin(), map.columns.end());
  for (const checkpoints::HeatMap::Row& row : map.rows) {
    std::vector<reports::ComparedCell> cells = {{row.blocks}};
    for (const checkpoints::HeatMap::Cell& cell : row.cells)
      cells.push_back({cell.text, cell.heat});
    table.rows.push_back(std::move(cells));
  }
  table.note =
      "Relative L2 gap of each kind of tensor, the worst kind first. Kinds that agree everywhere are left "
      "out.";
  return table;
}

ComparedTable modules_of(const CheckpointDifference& pair, const std::string& of) {
  ComparedTable table{
      "Modules" + of, {"module", "verdict", "differ", "max ULP", "relative L2", "worst tensor"}, {}, ""};
  const std::vector<checkpoints::ModuleSummary> modules = pair.modules();
  for (size_t i = 0; i < std::min(modules.size(), most_page_rows); ++i) {
    const checkpoints::ModuleSummary& module = modules[i];
    const bool differs = module.gap.differing > 0;
    table.rows.push_back({{module.name, -1, true},
                          {std::string(name_of(module.verdict))},
                          {fmt::format("{}/{}", module.differing + module.one_sided, module.tensors)},
                          {differs ? compare::ulp_text(module.max_ulp) : "-"},
                          {differs ? compare::size_text(module.gap.relative_l2()) : "-"},
                          {module.worst, -1, true}});
  }
  table.note = cut_note(modules.size(), "modules");
  return table;
}

ComparedTable checkpoint_tensors(const CheckpointDifference& pair, const std::string& of) {
  ComparedTable table{"Tensors that differ" + of, {"tensor", "how", "note"}, {}, ""};
  const std::vector<const checkpoints::Finding*> worst = worst_findings(pair);
  for (size_t i = 0; i < std::min(worst.size(), most_page_rows); ++i)
    table.rows.push_back({{worst[i]->title(), -1, true}, {describe_finding(*worst[i])}, {worst[i]->note}});
  table.note = cut_note(worst.size(), "tensors");
  return table;
}

ComparedTable rules_of(const CheckpointDifference& pair, const std::string& of) {
  ComparedTable table{"Rules that were found" + of, {"rule"}, {}, ""};
  const std::vector<checkpoints::RuleSummary> rules = pair.rules();
  for (size_t i = 0; i < std::min(rules.size(), most_page_rows); ++i)
    table.rows.push_back({{describe_rule(rules[i])}});
  table.note = cut_note(rules.size(), "rules");
  return table;
}

}  // namespace

reports::Comparison comparison_of_checkpoints(const std::vector<checkpoints::Checkpoint>& sides,
                                              const std::vector<CheckpointDifference>& pairs) {
  reports::Comparison comparison;
  std::vector<std::string> names;
  for (const checkpoints::Checkpoint& side : sides)
    names.push_back(side.path);
  const std::vector<std::string> labels = unique_labels(names);
  for (size_t i = 0; i < sides.size(); ++i)
    comparison.sides.push_back(checkpoint_side(sides[i], labels[i]));
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::string of = pairs.size() > 1 ? " of " + labels[i + 1] : "";
    for (ComparedTable& table : std::vector{blocks_of(pairs[i], of), checkpoint_tensors(pairs[i], of),
                                            modules_of(pairs[i], of), rules_of(pairs[i], of)})
      if (!table.rows.empty())
        comparison.tables.push_back(std::move(table));
    std::vector<std::string> notes = pairs[i].notes;
    if (const std::string steps = pairs[i].steps.text(); !steps.empty())
      notes.push_back(steps);
    for (const std::string& note : notes)
      comparison.notes.push_back(pairs.size() > 1 ? labels[i + 1] + ": " + note : note);
  }
  return comparison;
}

}  // namespace parity::cli
