// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/sides.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::cli {
namespace {

/// Prints the pairs as JSON.
void print_json(const std::string& first, const std::vector<PairOutcome>& pairs) {
  if (pairs.size() == 1) {
    fmt::print("{}\n", json_text(pairs.front().json, 1));
    return;
  }
  Json all = {{"schema", "parity.overlay/1"},
              {"reference", first},
              {"identical", overall_code(pairs) == ExitCode::agree},
              {"verdict", overall_verdict(first, pairs)},
              {"comparisons", Json::array()}};
  for (const PairOutcome& pair : pairs) {
    Json json = pair.json;
    json["side"] = pair.side;
    all["comparisons"].push_back(std::move(json));
  }
  fmt::print("{}\n", json_text(all, 1));
}

/// Prints the verdict of one pair of several, or of all.
void print_verdict(ExitCode code, const std::string& verdict) {
  const Style style = Style::for_stream(stdout);
  fmt::print("\n{}\n", code == ExitCode::agree ? style.good(verdict) : style.bad(verdict));
}

/// Prints a line about a side, if there is one.
void print_head(const std::string& head, const char* end) {
  if (head.find_first_not_of('\n') != std::string::npos)
    fmt::print("{}{}", head, end);
}

}  // namespace

std::vector<std::string> unique_labels(const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  std::set<std::string> used;
  for (const std::string& name : names) {
    std::string label = name;
    for (int copy = 2; !used.insert(label).second; ++copy)
      label = fmt::format("{} ({})", name, copy);
    labels.push_back(label);
  }
  return labels;
}

ExitCode overall_code(const std::vector<PairOutcome>& pairs) {
  for (const ExitCode code : {ExitCode::differ, ExitCode::missing, ExitCode::crashed})
    if (std::ranges::any_of(pairs, [&](const PairOutcome& pair) { return pair.code == code; }))
      return code;
  return ExitCode::agree;
}

std::string overall_verdict(const std::string& first, const std::vector<PairOutcome>& pairs) {
  if (pairs.size() == 1)
    return pairs.front().verdict;
  constexpr std::array<std::pair<ExitCode, const char*>, 3> others = {
      {{ExitCode::differ, "different"}, {ExitCode::missing, "missing"}, {ExitCode::crashed, "crashed"}}};
  const auto agreeing = static_cast<size_t>(std::ranges::count(pairs, ExitCode::agree, &PairOutcome::code));
  std::string text;
  for (const auto& [code, word] : others) {
    std::vector<std::string> names;
    for (const PairOutcome& pair : pairs)
      if (pair.code == code)
        names.push_back(escape_to_line(pair.side));
    if (!names.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", word, compare::list_text(names));
  }
  if (text.empty())
    return fmt::format("agree: all {} sides agree with {}", pairs.size(), escape_to_line(first));
  return fmt::format("{}; {} of {} sides {} with {}", text, agreeing, pairs.size(),
                     agreeing == 1 ? "agrees" : "agree", escape_to_line(first));
}

ExitCode conclude(const ComparedPairs& compared, const ComparisonOutputs& outputs, bool json) {
  const std::vector<PairOutcome>& pairs = compared.pairs;
  const ExitCode code = overall_code(pairs);
  const std::string verdict = overall_verdict(compared.first, pairs);
  if (json)
    print_json(compared.first, pairs);
  else {
    print_head(compared.heads.front(), "\n");
    for (size_t i = 0; i < pairs.size(); ++i) {
      print_head((i == 0 ? "" : "\n") + compared.heads.at(i + 1), "\n\n");
      compared.print(i);
      if (pairs.size() > 1)
        print_verdict(pairs[i].code, pairs[i].verdict);
    }
    print_verdict(code, verdict);
  }
  const auto page = [&] {
    reports::Comparison comparison = compared.page();
    comparison.verdict = verdict;
    comparison.agrees = code == ExitCode::agree;
    return comparison;
  };
  write_outputs(outputs, page, !json);
  return code;
}

}  // namespace parity::cli
