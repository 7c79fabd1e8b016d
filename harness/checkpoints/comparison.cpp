// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/comparison.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/checkpoints/match/by_values.hpp"
#include "harness/checkpoints/review.hpp"
#include "harness/compare/text/policy.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::checkpoints {
namespace {

void check_globs(const std::vector<std::string>& globs, const Checkpoint& expected,
                 const Checkpoint& actual) {
  std::vector<std::string> known;
  for (const Checkpoint* side : {&expected, &actual})
    for (const auto& [name, tensor] : side->tensors)
      known.push_back(name);
  for (const std::string& glob : globs)
    if (std::none_of(known.begin(), known.end(),
                     [&](const std::string& name) { return glob_match(glob, name); }))
      throw UserError("cannot compare tensors " + parity::quoted(glob) + " (no name matches)" +
                      suggestion(glob, known));
}

/// \throws UserError for a rule that gives no tensor of the actual side a name that says what it is
void check_rules(const NameRules& rules, const Checkpoint& expected, const Checkpoint& actual) {
  for (const auto& rule : rules) {
    bool matches = false, names_one = false;
    for (const auto& [name, tensor] : actual.tensors)
      if (const std::optional<std::string> other = rename(name, {rule})) {
        matches = true;
        names_one = names_one || expected.tensors.contains(*other) || role_of(*other).known;
      }
    if (!names_one)
      throw UserError(
          fmt::format("cannot use --map {} (it names no tensor of the {} checkpoint); write the "
                      "names of tensors or of modules, OURS of the first checkpoint, THEIRS of the second",
                      parity::quoted(rule.first + "=" + rule.second), matches ? "first" : "second"));
  }
}

/// Returns the module of a tensor: the name without its last two parts, but not shorter than its block.
std::string module_of(const std::string& name) {
  const size_t last = name.rfind('.');
  if (last == std::string::npos)
    return name;
  const size_t before = name.rfind('.', last - 1);
  const std::string module = name.substr(0, before == std::string::npos ? last : before);
  const bool is_block = module.find_first_not_of("0123456789", module.rfind('.') + 1) == std::string::npos;
  return is_block ? name.substr(0, last) : module;
}

bool is_worse(const ModuleSummary& a, const ModuleSummary& b) {
  const auto rank = [](const ModuleSummary& m) {
    return std::tuple(static_cast<int>(m.verdict), m.gap.relative_l2());
  };
  return rank(a) > rank(b);
}

void add_to(ModuleSummary& module, const Finding& finding) {
  ++module.tensors;
  module.differing += finding.verdict == Verdict::different ? 1 : 0;
  module.one_sided += finding.verdict == Verdict::one_sided ? 1 : 0;
  if (finding.verdict == Verdict::different &&
      (module.worst.empty() || finding.gap.relative_l2() > module.gap.relative_l2())) {
    module.worst = finding.title();
    module.gap = finding.gap;
  }
  module.max_ulp = std::max(module.max_ulp, finding.gap.max_ulp);
  module.verdict = std::max(module.verdict, finding.verdict);
}

/// Returns the names of a side with "*" for numbers.
std::string patterns_of(const std::vector<Item>& side) {
  std::string text;
  for (const Item& item : side)
    text += (text.empty() ? "" : " + ") + pattern_of(item.name);
  return text;
}

/// Returns "ACTUAL is EXPECTED" for a pair whose names have other numbers; "" for any other.
std::string renumbered_pair(const Finding& finding) {
  if (!finding.by_values || finding.expected.front().role.indices == finding.actual.front().role.indices)
    return "";
  return Finding::names(finding.actual) + " is " + Finding::names(finding.expected);
}

bool is_empty(const Item& item) {
  return item.view.size() == 0;
}

bool is_weight(const Item& item) {
  return item.role.known || !item.role.leaf().empty();
}

/// Returns why tensors without elements make agreement prove nothing; "" if they do not. A sharded program
/// saves them where the elements are on other ranks.
std::string empty_text(const std::vector<Finding>& findings) {
  size_t compared = 0;
  std::vector<const Item*> weights;
  for (const Finding& finding : findings)
    for (const std::vector<Item>* side : {&finding.expected, &finding.actual})
      for (const Item& item : *side) {
        compared += is_empty(item) ? 0 : 1;
        if (is_empty(item) && is_weight(item) && side == &finding.expected)
          weights.push_back(&item);
      }
  constexpr const char* hint = "gather the weights of all ranks (ZeRO-3, FSDP) before saving them";
  if (compared == 0)
    return fmt::format("no element was compared ({} without elements); {}",
                       compare::count_text(findings.size(), "tensor"), hint);
  if (weights.empty())
    return "";
  return fmt::format("{} no elements, first {}; {}",
                     weights.size() == 1 ? "1 weight has" : fmt::format("{} weights have", weights.size()),
                     escape_to_line(weights.front()->name), hint);
}

std::string missing_text(const Checkpoint& expected, const Checkpoint& actual,
                         const std::vector<Finding>& findings) {
  for (const Checkpoint* side : {&expected, &actual})
    if (side->tensors.empty())
      return escape_to_line(side->path) + " has no tensors";
  if (findings.empty())
    return "no tensor was compared";
  const bool agree =
      std::all_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.agrees(); });
  return agree ? empty_text(findings) : "";  // a difference is one, whatever else is missing
}

/// Returns how many elements a narrower dtype makes zero in tensors that agree; "" without any.
std::string underflow_note(const std::vector<Finding>& findings) {
  int64_t elements = 0;
  size_t tensors = 0;
  for (const Finding& finding : findings)
    if (finding.agrees() && finding.gap.underflowed > 0) {
      elements += finding.gap.underflowed;
      ++tensors;
    }
  return tensors == 0 ? ""
                      : fmt::format("{} of {} are not zero in the wider dtype and zero in the narrower one",
                                    compare::count_text(static_cast<size_t>(elements), "element"),
                                    compare::count_text(tensors, "tensor"));
}

Release release_of(const Checkpoint& expected, const Checkpoint& actual) {
  return [e = expected.memory, a = actual.memory](const std::byte* data, size_t bytes) {
    for (const auto& memory : {e, a})
      if (memory)
        memory->release(data, bytes);
  };
}

}  // namespace

size_t CheckpointDifference::count(Verdict verdict) const {
  return static_cast<size_t>(std::count_if(
      findings.begin(), findings.end(), [&](const Finding& finding) { return finding.verdict == verdict; }));
}

bool CheckpointDifference::agrees() const {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.agrees(); });
}

ExitCode CheckpointDifference::exit_code() const {
  if (!missing.empty())
    return ExitCode::missing;
  return agrees() ? ExitCode::agree : ExitCode::differ;
}

std::vector<ModuleSummary> CheckpointDifference::modules() const {
  std::map<std::string, ModuleSummary> found;
  for (const Finding& finding : findings) {
    const std::string name =
        module_of((finding.expected.empty() ? finding.actual : finding.expected).front().name);
    ModuleSummary& module = found[name];
    module.name = name;
    add_to(module, finding);
  }
  std::vector<ModuleSummary> result;
  for (auto& [name, module] : found)
    result.push_back(std::move(module));
  std::stable_sort(result.begin(), result.end(), is_worse);
  return result;
}

std::vector<RuleSummary> CheckpointDifference::rules() const {
  std::map<std::tuple<std::string, std::string, std::string, std::string, bool>, RuleSummary> found;
  for (const Finding& finding : findings) {
    const std::string e = patterns_of(finding.expected), a = patterns_of(finding.actual);
    const bool plain =
        finding.kind == RuleKind::as_is && finding.cast.empty() && e == a && !finding.by_name_only;
    if (!finding.agrees() || plain || (finding.by_name_only && e == a))
      continue;
    RuleSummary& rule = found[{e, a, finding.rule, finding.cast, finding.by_name_only}];
    const std::string renumbered = rule.renumbered.empty() ? renumbered_pair(finding) : rule.renumbered;
    rule = {e,         a, finding.rule, finding.cast, finding.verdict, finding.by_name_only, rule.tensors + 1,
            renumbered};
  }
  std::vector<RuleSummary> result;
  for (auto& [key, rule] : found)
    result.push_back(std::move(rule));
  return result;
}

std::string CheckpointDifference::conclusion() const {
  const std::string relaxed = compare::policy_text(policy);
  if (!missing.empty())
    return "missing: " + missing;
  const size_t one_sided = count(Verdict::one_sided), different = count(Verdict::different);
  if (!agrees()) {
    std::string text = fmt::format("different: {} of {}", different,
                                   compare::count_text(findings.size() - one_sided, "pair"));
    if (one_sided > 0)
      text += fmt::format("; {} on one side only", compare::count_text(one_sided, "tensor"));
    return relaxed.empty() ? text : text + "; all of it where " + relaxed;
  }
  std::vector<std::string> parts;
  if (const size_t n = count(Verdict::identical); n > 0)
    parts.push_back(fmt::format("{} bit for bit", compare::count_text(n, "tensor")));
  if (const size_t n = count(Verdict::equal); n > 0)
    parts.push_back(fmt::format("{} after a rule", n));
  if (const size_t n = count(Verdict::rounded); n > 0)
    parts.push_back(fmt::format("{} after rounding to the narrower dtype", n));
  const bool identical = parts.size() == 1 && count(Verdict::identical) > 0 && relaxed.empty();
  return fmt::format("{}: {}{}", identical ? "identical" : "equal", compare::list_text(parts),
                     relaxed.empty() ? "" : ", where " + relaxed);
}

CheckpointDifference compare_checkpoints(const Checkpoint& expected, const Checkpoint& actual,
                                         const ComparisonOptions& options) {
  CheckpointDifference difference;
  difference.policy = options.policy;
  difference.notes = expected.notes;
  difference.notes.insert(difference.notes.end(), actual.notes.begin(), actual.notes.end());
  if (!expected.tensors.empty() && !actual.tensors.empty()) {
    check_globs(options.globs, expected, actual);
    check_rules(options.renamed, expected, actual);
    const SearchOptions search{options.policy, release_of(expected, actual)};
    difference.findings = pair_tensors(expected, actual, options.renamed, options.globs, search);
    review_rules(difference.findings, search, expected.head_size > 0 ? expected.head_size : actual.head_size);
    note_equal_bits(difference.findings);
    if (const std::string note = underflow_note(difference.findings); !note.empty())
      difference.notes.push_back(note);
    difference.steps = step_distance(expected, actual);
  }
  difference.missing = missing_text(expected, actual, difference.findings);
  return difference;
}

}  // namespace parity::checkpoints
