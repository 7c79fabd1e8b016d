// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/search_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/runs/law_search.hpp"
#include "harness/bisect/runs/local_faults.hpp"
#include "harness/bisect/runs/noise_floor.hpp"
#include "harness/bisect/runs/probe.hpp"
#include "harness/bisect/runs/rounding.hpp"
#include "harness/bisect/runs/visible_step.hpp"
#include "harness/bisect/runs/wording.hpp"
#include "harness/bisect/traces/find_operator.hpp"
#include "harness/bisect/traces/joined_operators.hpp"
#include "harness/bisect/traces/tensor_place.hpp"
#include "harness/trace/format/file_names.hpp"

namespace parity::bisect {
namespace {

void print_config(RunProbe& probe) {
  const std::vector<ConfigDifference> config = probe.runs().config_differences();
  if (config.empty())
    return;
  constexpr size_t most = 4;
  std::vector<std::string> keys;
  Json details = Json::array();
  for (const ConfigDifference& difference : config) {
    if (keys.size() < most)
      keys.push_back(fmt::format("{} ({} against {})", difference.key, difference.expected.dump(),
                                 difference.actual.dump()));
    details.push_back(
        {{"key", difference.key}, {"expected", difference.expected}, {"actual", difference.actual}});
  }
  const size_t more = config.size() - keys.size();
  probe.report("config",
               fmt::format("the configs differ in {}{}", fmt::join(keys, ", "),
                           more > 0 ? fmt::format(" and {} more", more) : ""),
               "", {{"keys", details}});
}

/// Runs the update with its operators, and compares them bit by bit on one rank, or by value and joined.
std::optional<FirstBadOperator> watch_operators(RunProbe& probe, FirstBadUpdate& update,
                                                const trace::CaptureRule& wanted, bool by_bits) {
  const TensorStation& first = *update.first();
  trace::Capture capture;
  capture.operators.push_back(wanted);
  capture.sketches.push_back(update.everything());
  if (!by_bits)
    capture.tensors = {{{first.key.step}, {operators_phase(first.key.phase)}, {"*@*"}},
                       {{first.key.step}, {first.key.phase}, {first.key.name}}};
  const SideTraces watched = update.run_again(by_bits ? "operators" : "operators-joined", capture);
  const trace::Trace &expected = watched.expected_trace(), &actual = watched.actual_trace();
  const double rounding = std::max(probe.beyond(), most_rounding(first.dtype));
  const auto guilty = by_bits ? find_first_bad_operator(expected, actual, first.key, first.ranks.front())
                              : find_joined_operator(expected, actual, first.key, rounding);
  if (guilty)
    probe.report("operator", guilty->text(), guilty->key ? probe.compare_command(watched, *guilty->key) : "",
                 guilty->to_json());
  return guilty;
}

/// Finds the operator at the first tensor. Operators of different layouts or micro-batches, and those of a
/// search beyond rounding, are joined and compared by value.
std::optional<FirstBadOperator> find_operator(RunProbe& probe, FirstBadUpdate& update) {
  const TensorStation& first = *update.first();
  const std::optional<trace::CaptureRule> wanted = operators_to_watch(first.key, update.last_equal());
  if (!wanted)
    return std::nullopt;
  if (!first.ranks.empty() && probe.beyond() == 0)
    if (auto guilty = watch_operators(probe, update, *wanted, true))
      return guilty;
  auto guilty = watch_operators(probe, update, *wanted, false);
  if (!guilty)
    probe.note("operators were joined over ranks and micro-batches, and none shows the difference");
  return guilty;
}

/// Returns the place of the difference between two replicas of one side, the lower rank's as the expected
/// one.
std::optional<TensorPlace> place_of_split(const RunProbe& probe, const SideTraces& kept,
                                          const TensorStation& first) {
  const auto own = [&](int64_t rank) {
    const std::string& arm = first.split->of_expected ? kept.expected : kept.actual;
    return trace::Trace::open(trace::rank_path(probe.trace_of(kept, arm), rank));
  };
  return find_place(own(first.split->other), own(first.split->rank), first.key);
}

/// Returns the place of the difference on the first differing rank; nothing if that rank has only a shard.
std::optional<TensorPlace> place_on_rank(const RunProbe& probe, const SideTraces& kept,
                                         const TensorStation& first) {
  if (first.ranks.empty())
    return std::nullopt;
  const auto own = [&](const std::string& arm) {
    return trace::Trace::open(trace::rank_path(probe.trace_of(kept, arm), first.ranks.front()));
  };
  return find_place(own(kept.expected), own(kept.actual), first.key);
}

std::optional<TensorPlace> find_element(RunProbe& probe, FirstBadUpdate& update) {
  const TensorStation& first = *update.first();
  trace::Capture capture;
  capture.tensors.push_back({{first.key.step}, {first.key.phase}, {first.key.name}});
  capture.tensors.push_back({{update.step()}, {trace::Phase::input}, {"tokens", "document_ids"}});
  const SideTraces kept = update.run_again("elements", capture);
  const double noise =
      first.ranks.empty() ? std::max(probe.beyond(), most_rounding(first.dtype)) : probe.beyond();
  std::optional<TensorPlace> place = find_place(kept.expected_trace(), kept.actual_trace(), first.key, noise);
  std::string expected = probe.sides().expected, actual = probe.sides().actual;
  if (place && place->gap.identical)  // for replicas, the trace has the lowest rank's values
    place = place_on_rank(probe, kept, first);
  if (first.split && first.ranks.empty()) {
    place = place_of_split(probe, kept, first);
    expected = fmt::format("rank {}", first.split->other);
    actual = fmt::format("rank {}", first.split->rank);
  }
  if (place)
    probe.report("element", place->describe(expected, actual),
                 probe.compare_command(kept, first.key, " --profile"), place->to_json());
  return place;
}

/// Continues where a channel differs and no tensor of its update does: asks the laws, then looks at later
/// updates. \return the start of the sentence, if laws explain the channel or nothing else differs; else ""
std::string search_without_tensor(RunProbe& probe, FirstBadUpdate& update, int64_t visible) {
  if (update.first())
    return "";
  const LawComparison laws = ask_laws(probe, update);
  update.search_later();
  std::string text = sentence_without_tensor(probe, update, visible, laws);
  if (!update.first())
    return text;
  if (laws.first())
    return text + "; later, ";
  probe.note(text);
  return "";
}

/// Returns the departure from a law that explains the first tensor, to append to a sentence; "" if there is
/// none, or if an operator's number explains it already.
std::string describe_laws(RunProbe& probe, FirstBadUpdate& update,
                          const std::optional<FirstBadOperator>& guilty) {
  if (!do_laws_recompute(*update.first()) || (guilty && !guilty->numbers.empty()))
    return "";
  const LawComparison laws = ask_laws(probe, update);
  return laws.first() ? "; " + laws.text(probe.sides().expected, probe.sides().actual) : "";
}

/// Searches in float64, where rounding almost vanishes. Any remaining difference is a different computation.
/// \return the record; without a sentence if no difference remains
SearchRecord search_in_float64(RunProbe wide, const TensorStation& in_float32) {
  const std::optional<int64_t> visible = find_visible_step(wide);
  if (!visible) {
    wide.record.sentence.clear();
    return std::move(wide.record);
  }
  FirstBadUpdate update(wide, *visible);
  const std::string alone = search_without_tensor(wide, update, *visible);
  if (!update.first()) {
    wide.record.sentence = "beyond rounding, in float64, " + alone;
    return std::move(wide.record);
  }
  const std::optional<LocalFaults> local = find_local_faults(wide, update);
  const std::optional<FirstBadOperator> guilty = find_operator(wide, update);
  const std::optional<TensorPlace> place = find_element(wide, update);
  wide.record.sentence = fmt::format(
      "beyond rounding, {}{} (in float64; in float32 the bits already differ at {}, by {:.1e}){}{}", alone,
      describe_first(wide, update, guilty, place), describe(in_float32.key), *in_float32.relative,
      describe_other_faults(local, *update.first()),
      alone.empty() ? describe_laws(wide, update, guilty) : "");
  return std::move(wide.record);
}

/// The search beyond a first difference that another order of sums may explain.
struct PastRounding {
  std::string before, after;           ///< what the sentence says of it around the rest
  std::optional<SearchRecord> record;  ///< of the search in float64, where that found another computation
  /// Set if the floor was measured; `update` is then where it found more.
  std::optional<FloorSearch> measured;
};

/// Returns whether a tensor of the update differs by more than another order of float32 sums is likely to
/// make. After a first difference by rounding, a narrower dtype or a cancelling sum may lose more.
bool loses_more_than_rounding(const FirstBadUpdate& update) {
  constexpr double worth_measuring = 0x1p-13;
  return std::ranges::any_of(update.path().stations, [](const TensorStation& station) {
    return station.relative && *station.relative > worth_measuring;
  });
}

void measure_rounding(RunProbe& probe, FirstBadUpdate& update, PastRounding& past, const std::string& cause) {
  const TensorStation bits = *update.first();
  const bool is_widened = !past.after.empty();
  past.measured = search_beyond_floor(probe, update);
  if (!past.measured->first) {
    past.after = fmt::format("; {}no error exceeds the noise floor",
                             is_widened ? "nothing of it remains in float64, and " : "");
    return;
  }
  update.take_station(*past.measured->first);
  past.before = fmt::format("beyond rounding (the bits already differ at {}, by {:.1e}), ",
                            describe(bits.key), *bits.relative);
  past.after = is_widened ? fmt::format("; nothing of it remains in float64, so the cause is {}", cause) : "";
}

PastRounding search_past_rounding(RunProbe& probe, FirstBadUpdate& update, const suite::RunSettings& options,
                                  Progress& progress) {
  PastRounding past;
  const DType coarsest = coarsest_dtype(update.path());
  const bool has_halves = coarsest == DType::bfloat16 || coarsest == DType::float16;
  if (!is_of_roundings_size(*update.first(), coarsest) || probe.runs().config_differences().empty())
    return past;
  if (probe.runs().can_widen()) {
    SearchRecord wide = search_in_float64(
        RunProbe::in_float64(probe.sides(), options, progress, probe.record), *update.first());
    if (!wide.sentence.empty()) {
      wide.differs = true;
      past.record = std::move(wide);
      return past;
    }
    probe.record.stages = std::move(wide.stages);
    past.after = "; nothing of it remains in float64, so it is rounding";
  }
  if (!probe.runs().can_be_fed())
    probe.note(fmt::format(
        "{} differs by no more than another order of sums can cause; this was not verified, since "
        "a command has no float64 twin and cannot be perturbed",
        describe(update.first()->key)));
  else if (!probe.runs().can_widen() || has_halves || loses_more_than_rounding(update))
    measure_rounding(probe, update, past, has_halves ? "the 16 bits" : "a narrower type or a cancelling sum");
  return past;
}

/// Returns the run with the checkpoint before `Sides::update`; nothing if the search begins at update 1.
/// \throws UserError if the sides cannot begin there
std::optional<SideTraces> values_before(RunProbe& probe) {
  const int64_t update = probe.sides().update;
  if (update == 0)
    return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("cannot search update {} alone ({})", update, why));
  };
  if (!probe.runs().are_exact())
    refuse("only exact twins of parity-train begin anywhere; add --exact");
  if (update > probe.runs().steps())
    refuse(fmt::format("the arms make {} updates; name one of them", probe.runs().steps()));
  if (!probe.runs().can_stop_early())
    refuse("an arm restarts, so that it begins at update 1; leave out --step");
  return update == 1 ? std::nullopt : std::optional(probe.run_values());
}

}  // namespace

SearchRecord search_run(const Sides& sides, const suite::RunSettings& options, Progress& progress) {
  if (sides.expected == sides.actual)
    throw UserError(
        fmt::format("cannot search for a difference of {} from itself; name two arms", sides.expected));
  RunProbe probe(sides, options, progress);
  print_config(probe);
  std::optional<SideTraces> values = values_before(probe);
  const std::optional<int64_t> visible = find_visible_step(probe, values ? &*values : nullptr);
  if (!visible)
    return std::move(probe.record);
  FirstBadUpdate update(probe, *visible, std::move(values));
  const std::string alone = search_without_tensor(probe, update, *visible);
  if (!update.first()) {
    probe.record.sentence = alone;
    return std::move(probe.record);
  }
  PastRounding past = search_past_rounding(probe, update, options, progress);
  if (past.record)
    return std::move(*past.record);
  const std::optional<LocalFaults> local =
      find_local_faults(probe, update, past.measured ? &*past.measured : nullptr);
  const bool is_rounding = past.before.empty() && !past.after.empty();
  const bool may_pair = past.before.empty() && (!is_rounding || !update.first()->ranks.empty());
  const std::optional<FirstBadOperator> guilty = may_pair ? find_operator(probe, update) : std::nullopt;
  const std::optional<TensorPlace> place = find_element(probe, update);
  probe.record.sentence = alone + past.before + describe_first(probe, update, guilty, place) +
                          describe_other_faults(local, *update.first()) + past.after +
                          (alone.empty() && !is_rounding ? describe_laws(probe, update, guilty) : "");
  return std::move(probe.record);
}

}  // namespace parity::bisect
