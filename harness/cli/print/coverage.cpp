// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/coverage.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text/table.hpp"
#include "harness/coverage/spare.hpp"

namespace parity::cli {
namespace {

using coverage::Pair;
using coverage::PairState;
using coverage::Survey;

std::string_view name(size_t feature) {
  return coverage::features()[feature].name;
}

/// Returns the settings as `key=value key=value`.
std::string settings_text(const suite::FlatConfig& settings) {
  std::string text;
  for (const auto& [key, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, json_text(value));
  return text;
}

/// Returns the triangle of marks: row i has the pairs of feature i with the features before it.
std::string matrix_text(const Survey& survey) {
  const size_t count = coverage::features().size();
  std::vector<std::string> rows(count);
  for (const Pair& pair : survey.pairs)
    rows[pair.other] += mark_of(pair.state);
  std::string tens, units;
  for (size_t i = 0; i < count; ++i) {
    tens += (i + 1) % 10 == 0 ? static_cast<char>('0' + (i + 1) / 10) : ' ';
    units += static_cast<char>('0' + (i + 1) % 10);
  }
  std::string text = fmt::format("{:22}{}\n{:22}{}\n", "", tens, "", units);
  for (size_t i = 0; i < count; ++i)
    text += fmt::format("{:2} {:19}{}\n", i + 1, name(i), rows[i]);
  return text;
}

std::string acts_text(const Survey& survey) {
  std::vector<std::vector<std::string>> rows;
  for (const coverage::ActCount& act : survey.acts)
    rows.push_back({act.name, std::to_string(act.acted.size()), std::to_string(act.idle),
                    std::to_string(act.unknown.size())});
  return text_table({"act", "acted", "idle", "not run or not recorded"}, rows);
}

/// Returns how ranks start. No pair with a feature is demanded, since a launcher must not change a bit.
std::string starts_text(const Survey& survey) {
  std::vector<std::vector<std::string>> rows;
  for (const coverage::WayToStart& way : survey.starts)
    rows.push_back({way.name, std::to_string(way.arms.size()),
                    fmt::format("{} of {}", way.features.size(), coverage::features().size()),
                    way.arms.empty() ? "" : way.arms.front()});
  return text_table({"ranks start by", "arms", "features met", "such as"}, rows);
}

}  // namespace

char mark_of(PairState state) {
  switch (state) {
    case PairState::covered:
      return '#';
    case PairState::not_run:
      return '?';
    case PairState::missing:
      return '.';
    case PairState::refused:
      return 'x';
    case PairState::exclusive:
      return '-';
  }
  return ' ';
}

std::string evidence_text(const Pair& pair) {
  switch (pair.state) {
    case PairState::covered:
    case PairState::not_run:
      return fmt::format("{}{}", pair.arms.front(),
                         pair.arms.size() > 1 ? fmt::format(" and {} more", pair.arms.size() - 1) : "");
    case PairState::missing:
      return settings_text(pair.example);
    case PairState::refused:
      return pair.why;
    case PairState::exclusive:
      return "each gives one key another value";
  }
  return "";
}

std::string coverage_text(const Survey& survey) {
  std::string text = matrix_text(survey);
  text += fmt::format("# covered {}   ? not run {}   . missing {}   x refused {}   - exclusive {}\n\n",
                      survey.count(PairState::covered), survey.count(PairState::not_run),
                      survey.count(PairState::missing), survey.count(PairState::refused),
                      survey.count(PairState::exclusive));
  text += acts_text(survey);
  text += "\n" + starts_text(survey);
  text += fmt::format("\n{} arms, of which {} have a trace; {} arms of other programs are left out\n",
                      survey.arms.size(), survey.arms_run, survey.command_arms);
  if (const std::vector<std::string> spare = coverage::spare_arms(survey.arms); !spare.empty())
    text += fmt::format("without these arms of pairs/ no pair is lost: {}\n", fmt::join(spare, ", "));
  return text;
}

std::string missing_text(const Survey& survey) {
  std::vector<std::vector<std::string>> rows;
  for (const Pair& pair : survey.pairs)
    if (pair.state == PairState::missing)
      rows.push_back(
          {std::string(name(pair.one)), std::string(name(pair.other)), settings_text(pair.example)});
  return rows.empty() ? "no pair is missing\n" : text_table({"feature", "feature", "settings"}, rows);
}

std::string feature_text(const Survey& survey, size_t feature) {
  std::vector<std::vector<std::string>> rows;
  for (const Pair& pair : survey.pairs)
    if (pair.one == feature || pair.other == feature)
      rows.push_back({std::string(name(pair.one == feature ? pair.other : pair.one)),
                      std::string(name_of(pair.state)), evidence_text(pair)});
  return fmt::format("{}: {}\n{}", name(feature), coverage::features()[feature].sentence,
                     text_table({"with", "state", "arm, reason or settings"}, rows));
}

}  // namespace parity::cli
