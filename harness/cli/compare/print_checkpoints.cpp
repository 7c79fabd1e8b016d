// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/print_checkpoints.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/checkpoints/heat_map.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::cli {
namespace {

using checkpoints::CheckpointDifference;
using checkpoints::Finding;
using checkpoints::Verdict;

/// Most lines of a table without --all.
constexpr size_t most_rows = 40;
constexpr size_t most_tensors = 20;  ///< the same for the list of tensors

void print_cut(size_t count, size_t most, const std::string& what) {
  if (count > most)
    fmt::print("  and {} more {}; --all shows them\n", count - most, what);
}

void print_modules(const CheckpointDifference& difference, bool all) {
  std::vector<std::vector<std::string>> rows;
  for (const checkpoints::ModuleSummary& module : difference.modules())
    if (all || module.verdict >= Verdict::different)
      rows.push_back({module.name, std::string(name_of(module.verdict)),
                      fmt::format("{}/{}", module.differing + module.one_sided, module.tensors),
                      module.gap.differing > 0 ? compare::ulp_text(module.max_ulp) : "-",
                      module.gap.differing > 0 ? compare::size_text(module.gap.relative_l2()) : "-",
                      module.worst});
  const size_t count = rows.size();
  rows.resize(all ? count : std::min(count, most_rows));
  if (!rows.empty())
    fmt::print("{}",
               text_table({"module", "verdict", "differ", "max ULP", "relative L2", "worst tensor"}, rows));
  if (!all)
    print_cut(count, most_rows, "modules");
}

void print_findings(const CheckpointDifference& difference, bool all) {
  const std::vector<const Finding*> worst = worst_findings(difference);
  for (size_t i = 0; i < (all ? worst.size() : std::min(worst.size(), most_tensors)); ++i) {
    fmt::print("  {}: {}\n", escape_to_line(worst[i]->title(), 200),
               escape_to_line(describe_finding(*worst[i]), 400));
    if (!worst[i]->note.empty())
      fmt::print("    {}\n", escape_to_line(worst[i]->note, 400));
  }
  if (!all)
    print_cut(worst.size(), most_tensors, "tensors");
}

void print_rules(const CheckpointDifference& difference, bool all) {
  const std::vector<checkpoints::RuleSummary> rules = difference.rules();
  for (size_t i = 0; i < (all ? rules.size() : std::min(rules.size(), most_rows)); ++i)
    fmt::print("  {}\n", escape_to_line(describe_rule(rules[i]), 600));
  if (!all)
    print_cut(rules.size(), most_rows, "rules");
}

}  // namespace

std::vector<const Finding*> worst_findings(const CheckpointDifference& difference) {
  std::vector<const Finding*> worst;
  for (const Finding& finding : difference.findings)
    if (!finding.agrees())
      worst.push_back(&finding);
  std::stable_sort(worst.begin(), worst.end(), [](const Finding* a, const Finding* b) {
    return a->gap.relative_l2() > b->gap.relative_l2();
  });
  return worst;
}

std::string describe_finding(const Finding& finding) {
  if (finding.verdict == Verdict::one_sided)
    return finding.expected.empty() ? "only in the second checkpoint" : "only in the first checkpoint";
  std::vector<std::string> parts;
  if (const std::string other = Finding::names(finding.actual); other != finding.title())
    parts.push_back("against " + other);
  if (finding.has_gap && finding.gap.differing > 0)
    parts.push_back(fmt::format("{} of {} elements differ", finding.gap.differing, finding.gap.count));
  if (!finding.cast.empty())
    parts.push_back("after the cast " + finding.cast);
  if (const std::string place = finding.place(); !place.empty() && !finding.bits_only)
    parts.push_back(fmt::format("{}: {} against {}", place,
                                compare::number_text(finding.gap.worst_expected, true),
                                compare::number_text(finding.gap.worst_actual, true)));
  return parts.empty() ? std::string(name_of(finding.verdict)) : fmt::format("{}", fmt::join(parts, "; "));
}

std::string describe_rule(const checkpoints::RuleSummary& rule) {
  std::string text = rule.actual.empty()     ? rule.expected
                     : rule.expected.empty() ? rule.actual
                                             : rule.actual + " is " + rule.expected;
  if (rule.expected.empty() || rule.actual.empty())
    text += ":";
  for (const std::string& more : {rule.rule, rule.cast.empty() ? "" : "cast " + rule.cast})
    text += more.empty() ? "" : (text.ends_with(':') ? " " : ", ") + more;
  text += rule.by_name_only                  ? "; by name only, since all elements or rows are the same"
          : rule.verdict == Verdict::rounded ? "; bit for bit after rounding"
                                             : "; bit for bit";
  return text + " (" + compare::count_text(rule.tensors, "tensor") +
         (rule.renumbered.empty() ? "" : "; " + rule.renumbered) + ")";
}

void print_checkpoints(const CheckpointDifference& difference, bool all) {
  print_modules(difference, all);
  print_findings(difference, all);
  constexpr size_t cell = 12;
  if (const std::string map =
          heat_map(difference.findings).text(static_cast<size_t>(terminal_width(stdout)) / cell);
      !map.empty())
    fmt::print("\n{}{}", map, difference.rules().empty() ? "" : "\n");
  print_rules(difference, all);
  for (const std::string& note : difference.notes)
    fmt::print("  {}\n", note);
  if (const std::string steps = difference.steps.text(); !steps.empty())
    fmt::print("  {}\n", steps);
}

}  // namespace parity::cli
