// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/coverage_page.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/print/coverage.hpp"

namespace parity::cli {
namespace {

using coverage::PairState;

std::string meaning_of(PairState state) {
  switch (state) {
    case PairState::covered:
      return "an arm has both";
    case PairState::not_run:
      return "an arm's config allows both, and no trace says whether both acted";
    case PairState::missing:
      return "no arm has both, though the trainer accepts them";
    case PairState::refused:
      return "the trainer refuses every config with both";
    case PairState::exclusive:
      return "each gives one key another value";
  }
  return "";
}

std::string verdict_of(const coverage::Survey& survey) {
  const int64_t missing = survey.count(PairState::missing), not_run = survey.count(PairState::not_run);
  std::string text = fmt::format("{} of {} pairs of features occur together in an arm",
                                 survey.count(PairState::covered), survey.pairs.size());
  if (missing > 0)
    text += fmt::format("; {} that the trainer accepts {} missing", missing, missing == 1 ? "is" : "are");
  if (not_run > 0)
    text += fmt::format("; {} depend{} on runs that were not made", not_run, not_run == 1 ? "s" : "");
  return missing + not_run == 0 ? text + ", and no config has the others" : text;
}

}  // namespace

reports::CoverageMatrix coverage_matrix(const coverage::Survey& survey) {
  reports::CoverageMatrix matrix;
  for (const coverage::Feature& feature : coverage::features())
    matrix.features.push_back({std::string(feature.name), std::string(feature.sentence)});
  for (const std::string& name : names_of<PairState>()) {
    const auto state = parse_enum<PairState>(name);
    matrix.states.push_back({name, std::string(1, mark_of(state)), meaning_of(state)});
  }
  for (const coverage::Pair& pair : survey.pairs)
    matrix.pairs.push_back(
        {pair.one, pair.other, std::string(name_of(pair.state)), pair.arms.size(), evidence_text(pair)});
  for (const coverage::ActCount& act : survey.acts)
    matrix.acts.push_back({act.name, static_cast<int64_t>(act.acted.size()), act.idle,
                           static_cast<int64_t>(act.unknown.size())});
  for (const coverage::WayToStart& way : survey.starts) {
    reports::CoverageMatrix::Start start{way.name, way.arms, {}};
    for (const size_t feature : way.features)
      start.features.emplace_back(coverage::features()[feature].name);
    matrix.starts.push_back(std::move(start));
  }
  matrix.verdict = verdict_of(survey);
  matrix.complete = survey.count(PairState::missing) + survey.count(PairState::not_run) == 0;
  matrix.origin = fmt::format("{} arms, of which {} have a trace. {} arms of other programs are left out.",
                              survey.arms.size(), survey.arms_run, survey.command_arms);
  return matrix;
}

}  // namespace parity::cli
