// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/search_golden.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/bisect/golden/config.hpp"
#include "harness/bisect/golden/gap.hpp"
#include "harness/bisect/golden/origin.hpp"
#include "harness/bisect/golden/tensor_stage.hpp"
#include "harness/bisect/traces/curve_json.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/cases/named_case.hpp"

namespace parity::bisect {
namespace {

/// Returns the arms to search. \throws UserError for an arm that the golden does not hold
std::vector<std::string> wanted_arms(const suite::Case& source, const std::string& arm) {
  const std::string file = path_from_here(source.file);
  if (source.golden.arms.empty())
    throw UserError(
        fmt::format("case {} stores no golden (its [golden] table names no arms); name some there, and "
                    "record it with: {}",
                    escape_to_line(source.name), shell_quote({"parity", "golden", "record", file})));
  std::error_code error;
  if (!std::filesystem::exists(source.golden_file, error))
    throw UserError(
        fmt::format("there is no golden {}; record a run that you trust with: {}",
                    path_from_here(source.golden_file), shell_quote({"parity", "golden", "record", file})),
        ExitCode::missing);
  if (arm.empty())
    return source.golden.arms;
  require_arm(source, arm);
  if (std::ranges::find(source.golden.arms, arm) == source.golden.arms.end())
    throw UserError(fmt::format("the golden of {} does not store arm {}{}", escape_to_line(source.name),
                                parity::quoted(arm), suggestion(arm, source.golden.arms)));
  return {arm};
}

/// Reads the golden of a case.
/// \throws UserError if it is damaged, or does not hold the arms
golden::StoredGolden read_whole(const suite::Case& source, const std::vector<std::string>& arms) {
  golden::StoredGolden stored{source.golden_file, golden::read_intact_golden(source.golden_file), ""};
  for (const std::string& arm : arms)
    if (!stored.golden->arms.contains(arm))
      throw UserError(fmt::format("{} has no arm {}; add it with: {}", path_from_here(source.golden_file),
                                  parity::quoted(arm),
                                  shell_quote({"parity", "golden", "record", path_from_here(source.file),
                                               "--reason", "the arm is new"})),
                      ExitCode::missing);
  return stored;
}

Json facts_json(const GoldenFacts& facts) {
  Json keys = Json::array();
  for (const auto& [key, stored] : facts.stored.items())
    keys.push_back({{"key", key}, {"expected", stored}, {"actual", facts.now.at(key)}});
  return keys;
}

class GoldenReport {
 public:
  GoldenReport(const suite::Case& source, const golden::StoredGolden& stored,
               const suite::RunSettings& options)
      : source_(source), stored_(stored), options_(options) {
    record_.kind = SearchKind::golden;
  }

  SearchRecord report(const GoldenRuns& runs, const GoldenGap& gap) {
    const golden::GoldenArm& side =
        stored_.golden->side_for(gap.arm, golden::fingerprint_of(*runs.arms.at(gap.arm).trace));
    record_.subject = fmt::format("{}: {} against its golden", source_.name, gap.arm);
    record_.details = {{"expected", "golden"}, {"actual", gap.arm}};
    const GoldenConfigCommands commands = golden_config_commands(runs, gap, options_);
    print_golden(side, runs.effort);
    print_facts("config", "config", gap.config, commands.options);
    print_facts("environment", "environment", gap.environment);
    print_facts("weights", "first weights", gap.first_weights);
    for (const std::string& words : gap.unmatched)
      if (record_.notes.size() < most_notes)
        record_.notes.push_back(words);
    if (!gap.differs()) {
      print_agreement(gap);
      return record_;
    }
    note_unknown_keys(gap.config);
    for (const std::string& words : gap.unknown)
      record_.notes.push_back(words);
    print_curve(gap, side, *runs.arms.at(gap.arm).trace);
    if (auto tensors = golden_tensor_stage(gap))
      record_.stages.push_back(std::move(*tensors));
    const GoldenOriginCommit origin = golden_origin(*stored_.golden, source_, gap.arm, options_);
    print_limits(gap, commands.runs);
    record_.stages.push_back({.name = "commits",
                              .answer = origin.words,
                              .command = origin.command,
                              .details = {{"good", origin.good}}});
    record_.sentence = sentence_of(gap);
    return record_;
  }

 private:
  static constexpr size_t most_notes = 4;

  std::string golden_command(const char* verb) const {
    std::vector<std::string> words = {"parity", "golden", verb, path_from_here(source_.file)};
    suite::add_out_option(words, options_.out);
    return shell_quote(words);
  }

  static std::vector<int64_t> steps_of_tensors(const golden::GoldenArm& side) {
    std::set<int64_t> steps;
    for (const trace::SketchRow& row : side.sketches)
      steps.insert(row.key.step);
    return {steps.begin(), steps.end()};
  }

  void print_golden(const golden::GoldenArm& side, const Effort& effort) {
    const golden::GoldenOrigin& origin = stored_.golden->origin;
    const std::vector<int64_t> steps = steps_of_tensors(side);
    const bool is_variant =
        &side != &stored_.golden->arms.at(record_.details.at("actual").get<std::string>());
    SearchStage stage;
    stage.name = "golden";
    stage.answer = fmt::format(
        "{} stores {} over {}{}{}", path_from_here(stored_.file),
        compare::count_text(side.run.channels.size(), "channel"), compare::steps_text(side.run.steps),
        steps.empty() ? ", and no tensors"
                      : ", and gradients and parameters of " + compare::steps_text(steps),
        is_variant ? "; its variant for this environment" : "");
    stage.command = shell_quote({"parity", "golden", "history", path_from_here(source_.file)});
    stage.runs = effort.executed;
    stage.cached = effort.cached;
    stage.seconds = effort.seconds;
    stage.details = {{"file", path_from_here(stored_.file)},
                     {"producer", origin.producer},
                     {"commit", origin.commit},
                     {"content", stored_.golden->stored_digest}};
    record_.stages.push_back(std::move(stage));
  }

  void print_facts(const char* name, const char* what, const GoldenFacts& facts,
                   const std::string& command = "") {
    if (!facts.differ())
      return;
    record_.stages.push_back({.name = name,
                              .answer = fmt::format("the {} differ{} from the golden's: {}", what,
                                                    std::string(what).ends_with('s') ? "" : "s", facts.words),
                              .command = command,
                              .details = {{"keys", facts_json(facts)}}});
  }

  /// Notes keys that may be new since the golden and not have their default.
  void note_unknown_keys(const GoldenFacts& config) {
    constexpr size_t most = 3;
    std::vector<std::string> names = config.unknown;
    if (names.empty())
      return;
    if (names.size() > most) {
      names.resize(most);
      names.push_back(fmt::format("{} more", config.unknown.size() - most));
    }
    record_.notes.push_back(
        fmt::format("the golden's config lacks {}, and the defaults of a command are unknown, so new values "
                    "may be a cause",
                    compare::list_text(names)));
  }

  void print_agreement(const GoldenGap& gap) {
    record_.differs = false;
    record_.stages.push_back({.name = "curve",
                              .answer = gap.drifts
                                            ? "bits differ, but only by rounding: the float64 twins agree"
                                            : "nothing that the golden stores differs",
                              .command = golden_command("verify")});
    record_.sentence = gap.drifts ? fmt::format("{} differs from its golden only by drift: {}", gap.arm,
                                                gap.environment.words)
                                  : fmt::format("{} does not differ from its golden", gap.arm);
  }

  void print_curve(const GoldenGap& gap, const golden::GoldenArm& side, const trace::Trace& now) {
    SearchStage stage;
    stage.name = "curve";
    stage.command = golden_command("verify");
    if (!gap.failure.empty())
      stage.answer = fmt::format("the run ends after update {}: {}; ", gap.last_step, gap.failure);
    if (gap.first.empty()) {
      stage.answer += "no channel in both differs";
    } else {
      const ChannelStation& one = channel_to_name(gap.first);
      stage.answer +=
          fmt::format("{} is the first channel that differs, at step {} of {}: {} against {}{}", one.channel,
                      one.step, gap.last_step, one.expected, one.actual, describe_others(gap.first, one));
      stage.answer += describe_rows(gap, one.channel);
    }
    if (gap.by_twins)
      stage.answer += "; measured in the float64 twins, since in another environment rounding differs first";
    stage.details = curve_json({side.run.steps, side.run.channels}, now);
    stage.details["channels"] = Json::array();
    for (const golden::GoldenDifference& row : gap.rows)
      stage.details["channels"].push_back(row.to_json());
    record_.stages.push_back(std::move(stage));
  }

  /// "; over the run loss at 10 of 10 steps, relative gap 1.2e-03": of those that differ first, or most.
  static std::string describe_rows(const GoldenGap& gap, const std::string& first) {
    constexpr size_t most = 4;
    std::vector<const golden::GoldenDifference*> rows;
    for (const golden::GoldenDifference& row : gap.rows)
      rows.push_back(&row);
    std::ranges::sort(rows, [&](const golden::GoldenDifference* a, const golden::GoldenDifference* b) {
      const bool a_later = a->quantity != first, b_later = b->quantity != first;
      return std::tie(a_later, a->first_step, a->quantity) < std::tie(b_later, b->first_step, b->quantity);
    });
    std::vector<std::string> words;
    for (const golden::GoldenDifference* row : rows)
      if (words.size() < most)
        words.push_back(fmt::format("{} at {} steps{}", row->quantity, row->differs,
                                    row->relative_l2 ? " by " + compare::size_text(*row->relative_l2) : ""));
    const size_t more = rows.size() - words.size();
    return words.empty() ? ""
                         : fmt::format("; over the whole run {}{}", compare::list_text(words),
                                       more > 0 ? fmt::format(" and {} more", more) : "");
  }

  /// Records what a golden does not show but two runs would.
  /// \param two_runs  command that compares with a run of the golden's config; "" if that is this run's
  /// config
  void print_limits(const GoldenGap& gap, const std::string& two_runs) {
    std::string answer = "a golden stores no activations, no gradients of them and no inputs of operators";
    if (gap.tensors.size() == 2)
      answer += fmt::format(", and no tensor of updates {} to {}", gap.tensors.front().step + 1,
                            gap.tensors.back().step - 1);
    answer +=
        two_runs.empty()
            ? "; compare with a run that reproduces the golden, such as one of the commit below (parity "
              "bisect traces)"
            : "; compare with a run of the golden's config, if it still reproduces the golden";
    record_.stages.push_back({.name = "unknown", .answer = answer, .command = two_runs});
  }

  std::string sentence_of(const GoldenGap& gap) const {
    std::vector<std::string> before;
    for (const auto& [what, facts] : {std::pair("config", &gap.config),
                                      {"environment", &gap.environment},
                                      {"first weights", &gap.first_weights}})
      if (facts->differ())
        before.push_back(fmt::format("{} ({})", what, facts->words));
    std::string text =
        before.empty() ? "" : "different before training starts: " + compare::list_text(before) + "; ";
    if (!gap.failure.empty())
      text += fmt::format("{} ends after update {} ({}); ", gap.arm, gap.last_step, gap.failure);
    if (gap.first.empty() && gap.failure.empty())
      return text + describe_tensor(gap, fmt::format("the channels of {} match the golden, but ", gap.arm));
    if (gap.first.empty())
      return text + "until then its channels match the golden";
    const ChannelStation& one = channel_to_name(gap.first);
    text += fmt::format("{} of {} differs from the golden from step {} on: {} against {}", one.channel,
                        gap.arm, one.step, one.expected, one.actual);
    if (one.channel == "batch_digest")
      text += ", so it reads different data";
    return text + describe_tensor(gap, "; ");
  }

  std::string describe_tensor(const GoldenGap& gap, const std::string& before) const {
    const GoldenTensors* update = gap.first_tensors();
    if (update == nullptr)
      return gap.unmatched.empty() || !gap.first.empty() ? "" : gap.unmatched.front();
    return fmt::format("{}{} is the first stored tensor that differs", before,
                       describe(update->first()->key));
  }

  const suite::Case& source_;
  const golden::StoredGolden& stored_;
  const suite::RunSettings& options_;
  SearchRecord record_;
};

/// Returns the defaults of an arm's config keys; empty for a command, whose keys are its own.
suite::FlatConfig defaults_of(const suite::Case& source, const std::string& arm,
                              std::filesystem::path trainer) {
  if (source.arm(arm).is_command())
    return {};
  return suite::ConfigSchema::load(trainer += ".schema.json").complete({});
}

/// Returns the arm that diverges from its golden first; the first of all if none does.
const GoldenGap& first_to_leave(const std::vector<GoldenGap>& gaps) {
  const auto rank = [](const GoldenGap& gap) {
    const int64_t step = !gap.first.empty() ? gap.first.front().step : gap.last_step;
    return std::pair(!gap.differs(), step);
  };
  return *std::ranges::min_element(gaps, {}, rank);
}

}  // namespace

SearchRecord search_golden(const suite::Case& source, const std::string& arm,
                           const suite::RunSettings& options, Progress& progress) {
  const std::vector<std::string> arms = wanted_arms(source, arm);
  const golden::StoredGolden stored = read_whole(source, arms);
  const GoldenRuns runs = run_golden_arms(source, arms, stored, options, progress);
  std::vector<GoldenGap> gaps;
  for (const std::string& name : arms)
    gaps.push_back(gap_to_golden(runs, stored, name, defaults_of(source, name, options.trainer)));
  const GoldenGap& reported = first_to_leave(gaps);
  SearchRecord record = GoldenReport(source, stored, options).report(runs, reported);
  std::vector<std::string> others;
  for (const GoldenGap& gap : gaps)
    if (&gap != &reported && gap.differs())
      others.push_back(gap.arm);
  if (!record.differs && arms.size() > 1)
    record.sentence = fmt::format("{} do not differ from their golden", compare::list_text(arms));
  if (!others.empty())
    record.notes.push_back(fmt::format(
        "{} also differ{}, but no earlier; search with: {}", compare::list_text(others),
        others.size() == 1 ? "s" : "",
        shell_quote({"parity", "bisect", "golden", path_from_here(source.file) + ":" + others.front()})));
  return record;
}

}  // namespace parity::bisect
