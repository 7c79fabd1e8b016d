// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/record.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/bisect/options/wording.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

Json numbers(const Toggles& on, const std::vector<OptionToggle>& toggles) {
  Json keys = Json::array();
  for (const size_t i : on)
    keys.push_back(toggles[i].key);
  return keys;
}

Json gap_json(const CurveGap& gap) {
  return {{"channel", gap.channel}, {"step", gap.step}, {"relative_gap", json_number(gap.size)}};
}

Json answer_json(const OptionAnswer& answer, const std::vector<OptionToggle>& toggles) {
  return {{"on", numbers(answer.on, toggles)}, {"added", numbers(answer.added, toggles)},
          {"like", name_of(answer.likeness)},  {"from_good", gap_json(answer.from_good)},
          {"failure", answer.failure},         {"looks", answer.looks}};
}

Json cause_json(const OptionRound& round, const std::vector<OptionToggle>& toggles) {
  const OptionCause& cause = round.cause;
  Json alone = Json::array();
  for (const OptionAlone& each : cause.alone)
    alone.push_back(
        {{"key", toggles[each.toggle].key}, {"like", name_of(each.likeness)}, {"gap", gap_json(each.gap)}});
  return {{"keys", numbers(cause.on, toggles)},   {"needs", numbers(cause.needs, toggles)},
          {"independent", cause.independent()},   {"hidden", round.hidden},
          {"gap", gap_json(cause.gap)},           {"alone", alone},
          {"beside", numbers(round.low, toggles)}};
}

Json left_json(const ResidualGap& left) {
  return {{"agrees", left.agrees}, {"gap", gap_json(left.gap)}, {"why", left.why}};
}

SearchStage stage(const std::string& name, const std::string& answer, const Effort& effort) {
  SearchStage stage;
  stage.name = name;
  stage.answer = answer;
  stage.runs = effort.executed;
  stage.cached = effort.cached;
  stage.seconds = effort.seconds;
  return stage;
}

SearchStage sides_stage(const OptionFindings& found, const OptionSides& sides) {
  SearchStage stage = bisect::stage("sides", describe_sides(found), found.sides);
  stage.command = sides.base_command;
  Json toggles = Json::array();
  for (const OptionToggle& toggle : found.toggles)
    toggles.push_back(toggle.to_json());
  stage.details = {{"differences", toggles}, {"channels", found.channels}, {"steps", found.steps}};
  return stage;
}

SearchStage round_stage(const OptionFindings& found, const OptionRound& round, const OptionSides& sides) {
  SearchStage stage =
      bisect::stage(round.hidden ? "hidden" : "options", describe_round(found, round), round.effort);
  Toggles on = round.low;
  on.insert(round.cause.on.begin(), round.cause.on.end());
  on.insert(round.cause.needs.begin(), round.cause.needs.end());
  stage.command = sides.command_with(found.toggles, on);
  Json answers = Json::array();
  for (const OptionAnswer& answer : round.answers)
    answers.push_back(answer_json(answer, found.toggles));
  stage.details = {{"first_bit", gap_json(round.first_bit)},      {"parting", gap_json(round.divergence)},
                   {"largest", gap_json(round.largest)},          {"tau", json_number(round.tau)},
                   {"culprit", cause_json(round, found.toggles)}, {"answers", answers}};
  return stage;
}

SearchStage verified_stage(const OptionFindings& found, const OptionSides& sides) {
  SearchStage stage = bisect::stage("verified", describe_verification(found), found.verification);
  if (found.rest_alone)
    stage.command = sides.command_with(found.toggles, found.rest);
  stage.details = {{"found_alone", left_json(found.found_alone)},
                   {"rest_alone", found.rest_alone ? left_json(*found.rest_alone) : Json()},
                   {"rest", numbers(found.rest, found.toggles)}};
  return stage;
}

}  // namespace

SearchRecord option_record(const OptionFindings& found, const OptionSides& sides) {
  using Ending = OptionFindings::Ending;
  SearchRecord record;
  record.kind = SearchKind::options;
  record.subject = sides.subject;
  record.differs = found.ending == Ending::causes || found.ending == Ending::flaky;
  record.sentence = option_sentence(found);
  record.notes = option_notes(found);
  if (found.ending == Ending::one_config)
    return record;
  record.stages.push_back(sides_stage(found, sides));
  if (found.ending != Ending::causes)
    return record;
  for (const OptionRound& round : found.rounds)
    record.stages.push_back(round_stage(found, round, sides));
  record.stages.push_back(verified_stage(found, sides));
  Json causes = Json::array();
  for (const OptionRound& round : found.rounds)
    causes.push_back(cause_json(round, found.toggles));
  record.details = {{"culprits", causes},
                    {"hybrids", found.hybrids},
                    {"bound", bisection_bound(found.toggles.size())},
                    {"noise", gap_json(found.noise)}};
  return record;
}

}  // namespace parity::bisect
