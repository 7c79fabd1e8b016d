// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/search_traces.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/bisect/traces/align_names.hpp"
#include "harness/bisect/traces/curve_json.hpp"
#include "harness/bisect/traces/find_operator.hpp"
#include "harness/bisect/traces/first_step.hpp"
#include "harness/bisect/traces/joined_operators.hpp"
#include "harness/bisect/traces/law_comparison.hpp"
#include "harness/bisect/traces/tensor_path.hpp"
#include "harness/bisect/traces/tensor_place.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/traces/compare_ranks.hpp"
#include "harness/suite/judge/renaming.hpp"

namespace parity::bisect {
namespace {

/// Returns reasons why the traces may disagree although nothing differs: an unfinished run, or records of
/// only one side.
std::vector<std::string> reservations(const trace::Trace& expected, const trace::Trace& actual) {
  std::vector<std::string> notes;
  for (const auto& [name, trace] : {std::pair{"first", &expected}, {"second", &actual}})
    if (!trace->complete() || trace->failure())
      notes.push_back(
          fmt::format("the run of the {} trace did not finish (last update {})", name, trace->last_step()));
  size_t alone = 0;
  for (const auto& [one, other] : {std::pair{&expected, &actual}, {&actual, &expected}}) {
    for (const auto& [name, channel] : one->channels())
      alone += channel.kind == trace::ChannelKind::numeric && !other->channels().contains(name) ? 1 : 0;
    for (const auto& [key, rows] : one->rank_rows())
      alone += other->rank_rows().contains(key) ? 0 : 1;
  }
  if (alone > 0)
    notes.push_back(
        fmt::format("{} that only one trace recorded {} not compared",
                    alone == 1 ? "1 channel or tensor" : fmt::format("{} channels and tensors", alone),
                    alone == 1 ? "was" : "were"));
  return notes;
}

/// Checks the recorded values of tensors against their digests, on which the result "nothing differs"
/// depends.
/// \throws UserError if they do not match
void prove_tensors(const trace::Trace& trace) {
  for (const trace::TensorKey& key : trace.tensors())
    trace.tensor(key);
}

/// Returns the steps at which both traces have a tensor.
std::set<int64_t> steps_with_tensors(const trace::Trace& expected, const trace::Trace& actual) {
  std::set<int64_t> steps;
  for (const auto& [key, rows] : expected.rank_rows())
    if (actual.rank_rows().contains(key))
      steps.insert(key.step);
  return steps;
}

void apply_names(const trace::Trace& expected, trace::Trace& actual, const TraceSearch& how,
                 SearchRecord& record) {
  if (!how.names.empty())
    actual.rename_tensors(suite::Renaming(how.names));
  if (!how.align)
    return;
  const std::map<std::string, std::string> names = align_names(expected, actual);
  if (names.empty())
    return;
  actual.rename_tensors([&names](const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  });
  const auto& [theirs, ours] = *names.begin();
  record.notes.push_back(fmt::format(
      "{} tensors have different names and were paired by order of execution, shape and norm, such as "
      "{} with {}; to pair none use --no-align, to pair them by name --name REGEX=REPLACEMENT",
      names.size(), theirs, ours));
  record.details["aligned"] = names;
}

/// Returns whether a trace has a tensor at some step.
bool is_elsewhere(const trace::Trace& trace, const trace::TensorKey& key) {
  return std::ranges::any_of(
      trace.steps(), [&](int64_t step) { return trace.rank_rows().contains({step, key.phase, key.name}); });
}

/// Notes a tensor of a step that one trace lacks there, though it has it at other steps: a gradient that was
/// None.
void note_lone_tensor(SearchRecord& record, const trace::Trace& expected, const trace::Trace& actual,
                      int64_t step) {
  for (const auto& [name, one, other] :
       {std::tuple("first", &expected, &actual), {"second", &actual, &expected}})
    for (const auto& [key, rows] : one->rank_rows())
      if (key.step == step && !other->rank_rows().contains(key) && is_elsewhere(*other, key)) {
        record.notes.push_back(
            fmt::format("{} {} of step {} is in the {} trace only, and may come before what differs",
                        name_of(key.phase), key.name, step, name));
        return;
      }
}

std::string recording_hint(int64_t step) {
  return fmt::format(
      "to continue, record tensors or sketches of step {}, phases forward, backward, grad, optim and param, "
      "on "
      "both sides",
      step);
}

void print_channels(SearchRecord& record, const std::vector<ChannelStation>& channels,
                    const trace::Trace& expected, const trace::Trace& actual) {
  const ChannelStation& first = channels.front();
  record.stages.push_back(
      {.name = "curve",
       .answer = fmt::format("{} is the first channel that differs, at step {}: {} against {}{}",
                             first.channel, first.step, first.expected, first.actual,
                             channels.size() > 1 ? fmt::format("; also {} more", channels.size() - 1) : ""),
       .command = "",
       .details = curve_json(expected, actual)});
}

/// Returns the operator at the first tensor: rank by rank if the layouts are equal, else, or if that shows
/// nothing, joined.
std::optional<FirstBadOperator> find_operator_between(const trace::Trace& expected,
                                                      const trace::Trace& actual, const TensorStation& first,
                                                      double beyond) {
  constexpr double rounding = 64 * 0x1p-23;  // of a layer's sums in float32
  if (!first.ranks.empty() || first.split)
    if (auto found = find_first_bad_operator(expected, actual, first.key,
                                             first.ranks.empty() ? 0 : first.ranks.front()))
      return found;
  return find_joined_operator(expected, actual, first.key, std::max(beyond, rounding));
}

void print_tensor(SearchRecord& record, const TensorPath& path, const TensorStation& first,
                  const trace::Trace& expected, const trace::Trace& actual, double beyond) {
  const std::string words =
      fmt::format("{} {} at step {}", name_of(first.key.phase), first.key.name, first.key.step);
  SearchStage stage;
  stage.name = "tensor";
  stage.answer = fmt::format("{} is the first tensor that differs; {} of {} differ", words,
                             path.differing(beyond), path.stations.size());
  stage.details = {{"step", first.key.step},
                   {"phase", name_of(first.key.phase)},
                   {"name", first.key.name},
                   {"ranks", first.ranks},
                   {"path", path.to_json()}};
  if (first.split) {
    stage.answer += "; " + first.split->text("the first", "the second");
    stage.details["replicas"] = first.split->to_json();
  }
  record.stages.push_back(std::move(stage));
  if (const std::string lone = path.lone_phase_text("the first", "the second"); !lone.empty())
    record.notes.push_back(lone);
  record.sentence = words + " is the first tensor that differs";
  if (first.changed)
    record.sentence += ": " + first.changed->text("the first", "the second");
  if (first.split)
    record.sentence += ": " + first.split->text("the first", "the second");
  if (const auto guilty = find_operator_between(expected, actual, first, beyond)) {
    record.stages.push_back(
        {.name = "operator", .answer = guilty->text(), .command = "", .details = guilty->to_json()});
    record.sentence += ": " + guilty->text();
  }
  const std::optional<TensorPlace> place = find_place(expected, actual, first.key, beyond);
  if (place && !place->gap.identical) {
    record.stages.push_back({.name = "element",
                             .answer = place->describe("the first", "the second"),
                             .command = "",
                             .details = place->to_json()});
    if (!place->short_text().empty())
      record.sentence += "; " + place->short_text();
  } else {
    record.notes.emplace_back(
        place ? "the joined values are the same, so elements were not compared: a higher rank differs"
              : "the tensor was not recorded whole on both sides, so its elements were not compared");
  }
}

/// Begins the sentence with a channel that differs before any recorded tensor does, and what the laws say.
/// \param later  the sentence about a later tensor; "" if no tensor differs
void print_lone_channel(SearchRecord& record, const ChannelStation& channel, const trace::Trace& expected,
                        const trace::Trace& actual, const std::string& later) {
  const LawComparison laws = compare_laws(expected, actual, channel.step);
  const std::string answer = laws.text("the first", "the second");
  record.stages.push_back({.name = "law", .answer = answer, .command = "", .details = laws.to_json()});
  const std::string hint = recording_hint(channel.step);
  const std::string broken = laws.first() ? "; " + answer : "";
  record.sentence =
      fmt::format("{} differs from step {} on, but no recorded tensor does{}", channel.channel, channel.step,
                  later.empty() ? "; " + hint + broken : broken + "; later, " + later);
  if (later.empty())
    return;
  if (!laws.first())
    record.sentence = later;
  record.notes.push_back(
      fmt::format("a channel already differs at step {}, for which no differing tensor is recorded; {}",
                  channel.step, hint));
}

/// Adds differences between single ranks whose joined tensors agree. They have no size.
void print_ranks(SearchRecord& record, const trace::Trace& expected, const trace::Trace& actual,
                 double beyond) {
  const auto everything = [](const auto&) { return true; };
  const compare::RankComparison ranks =
      compare::compare_ranks(expected, actual, {everything, everything, everything, {}});
  if (ranks.differences.empty())
    return;
  const std::string first = ranks.differences.front().text();
  const std::string answer = fmt::format("{} ({} in all), although the joined values are the same", first,
                                         compare::count_text(ranks.differences.size(), "difference"));
  if (beyond > 0) {
    record.notes.push_back("of unknown size: " + answer);
    return;
  }
  record.stages.push_back({.name = "rank", .answer = answer, .command = "", .details = Json::object()});
  record.differs = true;
  record.sentence = first;
}

}  // namespace

SearchRecord search_traces(const trace::Trace& expected, trace::Trace& actual, const TraceSearch& how) {
  SearchRecord record;
  record.kind = SearchKind::traces;
  record.details = {{"expected", "the first"}, {"actual", "the second"}};
  apply_names(expected, actual, how, record);
  const std::set<int64_t> steps = steps_with_tensors(expected, actual);
  const bool shares_channels = std::ranges::any_of(
      expected.channels(), [&](const auto& entry) { return actual.channels().contains(entry.first); });
  if (steps.empty() && !shares_channels)
    throw UserError(
        "cannot compare the traces (they share no channel and no tensor name); map the names with --name "
        "REGEX=REPLACEMENT");
  const std::vector<ChannelStation> channels = first_channels(expected, actual, how.beyond);
  if (!channels.empty())
    print_channels(record, channels, expected, actual);
  for (const int64_t step : steps) {
    const TensorPath path = compare_path(expected, actual, step);
    const TensorStation* first = path.first_difference(how.beyond);
    if (first == nullptr)
      continue;
    print_tensor(record, path, *first, expected, actual, how.beyond);
    note_lone_tensor(record, expected, actual, step);
    if (!channels.empty() && channels.front().step < step)
      print_lone_channel(record, channels.front(), expected, actual, record.sentence);
    return record;
  }
  record.differs = !channels.empty();
  if (record.differs) {
    print_lone_channel(record, channels.front(), expected, actual, "");
    return record;
  }
  record.sentence = "nothing that both traces recorded differs";
  if (how.beyond > 0)
    record.sentence += fmt::format(" by more than {:.0e}", how.beyond);
  if (expected.last_step() != actual.last_step()) {
    record.differs = true;
    record.sentence = fmt::format("the first trace ends with update {}, the second with {}; until then {}",
                                  expected.last_step(), actual.last_step(), record.sentence);
  } else if (expected.steps() != actual.steps()) {
    record.notes.emplace_back(
        "the traces have other updates in between, of which only the common ones were compared");
  }
  prove_tensors(expected);
  prove_tensors(actual);
  for (std::string& note : reservations(expected, actual))
    record.notes.push_back(std::move(note));
  print_ranks(record, expected, actual, how.beyond);
  return record;
}

}  // namespace parity::bisect
