// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/search_options.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/bisect/options/residual_gap.hpp"
#include "harness/bisect/options/side_noise.hpp"
#include "harness/bisect/search/sequential_test.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"

namespace parity::bisect {
namespace {

/// Returns a list of toggles: "lr.base = 0.1, lr.decay = "cosine" and 3 more".
std::string toggle_list(const std::vector<OptionToggle>& toggles, const Toggles& on) {
  constexpr size_t most = 3;
  std::vector<std::string> words;
  for (const size_t i : on)
    if (words.size() < most)
      words.push_back(toggles[i].describe_bad());
  const std::string more = on.size() > most ? fmt::format(" and {} more", on.size() - most) : "";
  return fmt::format("{}{}", fmt::join(words, ", "), more);
}

class OptionSearch {
 public:
  OptionSearch(const suite::Case& sides, const OptionQuestion& question, const suite::RunSettings& options,
               Progress& progress)
      : question_(question),
        progress_(progress),
        planned_(plan_arms(sides, options)),
        runs_(sides, toggles_between(settings_of(0), settings_of(1)), options, progress) {
    found_.toggles = runs_.toggles();
  }

  OptionFindings search() {
    if (found_.toggles.empty()) {
      found_.ending = OptionFindings::Ending::one_config;
      return found_;
    }
    measure_sides();
    if (found_.ending != OptionFindings::Ending::causes)
      return found_;
    Toggles on;
    while (on != runs_.all()) {
      found_.rounds.push_back(round(on, runs_.all(), false));
      const Toggles more = with_needs(found_.rounds.back().cause);
      on.insert(more.begin(), more.end());
      found_.found_alone = left_between(on, runs_.all());
      if (found_.found_alone.agrees)
        break;
    }
    verify_rest(without(runs_.all(), on));
    found_.hybrids = runs_.hybrids();
    return found_;
  }

 private:
  suite::FlatConfig settings_of(size_t arm) const {
    return with_surroundings(planned_.arms.at(arm).config, planned_.source.arms.at(arm));
  }

  void measure_sides() {
    const Toggles all = runs_.all();
    runs_.fetch({{{}}, {all}});
    require_usable(runs_.of({{}}), runs_.of({all}));
    noise_ = side_noise(runs_, planned_, question_.channels, question_.looks);
    if (noise_.flaky)
      found_.ending = OptionFindings::Ending::flaky;
    found_.noise = noise_.largest;
    const RunCurves& good = runs_.of({{}});
    const RunCurves& bad = runs_.of({all, 0, noise_.bad_look});
    found_.channels = channels_of_interest(good, bad, question_.channels);
    if (found_.channels.empty())
      throw UserError(fmt::format("no channel of the two sides matches {}; known:{}",
                                  fmt::join(question_.channels, ", "), names_of(good)));
    const SideClassifier sides(good, bad, found_.channels, noise_.size);
    found_.steps = static_cast<int64_t>(sides.ruler().steps().size());
    if (!sides.differ() && !noise_.flaky) {
      found_.ending = OptionFindings::Ending::no_difference;
      note_other_ways(good, bad);
    }
    whole_gap_ = sides.largest().size;
    note_difference_at_start(good, bad);
    found_.sides = runs_.effort();
  }

  /// Adds a note if the sides differ before the first update.
  void note_difference_at_start(const RunCurves& good, const RunCurves& bad) {
    if (good.first_weights != bad.first_weights)
      found_.notes.emplace_back(
          "the sides differ before the first update: they start from different weights");
    const CurveRuler data(good, bad, {"batch_digest"});
    if (const CurveGap gap = data.first(good, bad, 0); gap.step > 0)
      found_.notes.push_back(fmt::format("the sides train on different data from step {} on", gap.step));
  }

  /// Adds a note on other channels that differ although the wanted channels do not.
  void note_other_ways(const RunCurves& good, const RunCurves& bad) {
    const CurveGap gap = CurveRuler(good, bad, channels_of_interest(good, bad, {"*"})).first(good, bad, 0);
    if (gap.step > 0)
      found_.notes.push_back(
          fmt::format("the sides differ at step {} in {}; search for that with --channel {}", gap.step,
                      compare::list_text(gap.channels), gap.channels.front()));
  }

  static std::string names_of(const RunCurves& run) {
    std::string names;
    for (const auto& [name, channel] : run.channels)
      if (!name.starts_with("comm."))
        names += " " + name;
    return names;
  }

  /// Requires that the search can use the two runs.
  /// \throws UserError unless the good side finished, and the bad side finished or failed in a way that
  /// options
  ///         can cause
  static void require_usable(const RunCurves& good, const RunCurves& bad) {
    if (!good.finished())
      throw UserError(
          fmt::format("cannot search from the good side ({}); give a good side that finishes", good.failure),
          good.failure_kind == results::FailureKind::bad_config ? ExitCode::bad_input : ExitCode::crashed);
    if (bad.failure_kind == results::FailureKind::bad_config ||
        bad.failure_kind == results::FailureKind::missing ||
        bad.failure_kind == results::FailureKind::no_device)
      throw UserError(
          fmt::format("cannot run the bad side ({}); fix it first", bad.failure),
          bad.failure_kind == results::FailureKind::bad_config ? ExitCode::bad_input : ExitCode::missing);
  }

  Toggles with_needs(const OptionCause& cause) const {
    Toggles all = cause.on;
    all.insert(cause.needs.begin(), cause.needs.end());
    return all;
  }

  ResidualGap left_between(const Toggles& a, const Toggles& b) {
    const Effort before = runs_.effort();
    const ResidualGap left = judged_left(a, b);
    const Effort took = runs_.effort() - before;
    found_.verification = found_.verification + took;
    return left;
  }

  ResidualGap judged_left(const Toggles& a, const Toggles& b) {
    ResidualGapRule rule{found_.channels, noise_.size, noise_.measured, question_.floor, whole_gap_};
    rule.by_failure = !runs_.of({runs_.all()}).finished();
    if (noise_.kind == Noise::bad_side) {
      if (b == runs_.all())
        return {{}, true, "it is intermittent, as on the bad side"};
      rule.looks = SequentialTest::most;
    }
    return residual_gap(runs_, a, b, rule);
  }

  OptionRound round(const Toggles& low, const Toggles& high, bool hidden) {
    const RunCurves& good = runs_.of({low});
    const RunCurves& bad = runs_.of({high, 0, high == runs_.all() ? noise_.bad_look : 0});
    const SideClassifier sides(good, bad, found_.channels, noise_.size);
    OptionRound round;
    round.low = low;
    round.high = high;
    round.hidden = hidden;
    round.first_bit = sides.first_bit();
    round.divergence = sides.divergence();
    round.largest = sides.largest();
    round.tau = sides.tau();
    round.failure = bad.failure;
    const Effort before = runs_.effort();
    const Toggles free = without(high, low);
    OptionOracle oracle(runs_, sides, good, low, free, needs_);
    oracle.set_noise(noise_.kind);
    oracle.on_answer([&](const OptionAnswer& answer) {
      progress_.note(fmt::format("{} of {} on: {} ({})", answer.on.size(), free.size(),
                                 name_of(answer.likeness), toggle_list(found_.toggles, answer.on)));
    });
    MemoisedAsk ask([&](const Toggles& on, Reach reach) { return oracle.ask(on, reach); });
    Toggles core = minimal_toggles({free.begin(), free.end()}, std::ref(ask));
    // The options that a set needs may be the cause. Options that need each other always form one set.
    for (Toggles all = oracle.closed(core);;) {
      const Toggles needs = without(all, core);
      if (needs.empty() || oracle.closed(needs) == all ||
          ask(needs, Reach::diverging_step) != Likeness::bad || oracle.closed(needs).size() >= all.size())
        break;
      core = minimal_toggles({needs.begin(), needs.end()}, std::ref(ask));
      all = oracle.closed(core);
    }
    round.cause = cause_of(core, oracle, sides, good, ask);
    if (noise_.kind == Noise::bad_side)
      round.cause.gap = sides.divergence();  // it may not show in the one run that was compared to the end
    round.answers = oracle.answers();
    round.effort = runs_.effort() - before;
    return round;
  }

  OptionCause cause_of(const Toggles& core, OptionOracle& oracle, const SideClassifier& sides,
                       const RunCurves& good, MemoisedAsk& ask) {
    OptionCause cause;
    cause.on = core;
    cause.needs = without(oracle.closed(core), core);
    const RunCurves& run = oracle.run(core, Reach::whole_run);
    if (!sides.by_failure())
      cause.gap = sides.ruler().first(good, run, sides.tau());
    if (!cause.needs.empty())
      cause.needs_likeness = ask.known(cause.needs);
    if (core.size() == 1)
      return cause;
    for (const size_t i : core) {
      OptionAlone alone{i, ask({i}, Reach::diverging_step), {}};
      const RunCurves& by_itself = oracle.run({i}, Reach::diverging_step);
      if (by_itself.finished() && !sides.by_failure())
        alone.gap = sides.ruler().farthest(good, by_itself, sides.divergence().step);
      cause.alone.push_back(alone);
    }
    return cause;
  }

  /// Checks that the run with all options except the causes is like the good side.
  void verify_rest(Toggles rest) {
    while (!rest.empty()) {
      const Effort before = runs_.effort();
      drop_refused_options(rest);
      found_.verification = found_.verification + (runs_.effort() - before);
      if (rest.empty())
        break;
      found_.rest = rest;
      found_.rest_alone = left_between({}, rest);
      if (found_.rest_alone->agrees)
        break;
      found_.rounds.push_back(round({}, rest, true));
      rest = without(rest, with_needs(found_.rounds.back().cause));
      if (rest.empty())
        found_.rest_alone.reset();
    }
  }

  /// Removes options that the trainer accepts only together with a cause, since they cannot be tried alone.
  void drop_refused_options(Toggles& rest) {
    while (!rest.empty()) {
      const RunCurves& run = runs_.of({rest});
      if (run.failure_kind != results::FailureKind::bad_config)
        return;
      const auto need = need_from(run.failure, found_.toggles, rest, without(runs_.all(), rest));
      const Toggles refused = need ? need->who : rest;
      found_.not_without.insert(found_.not_without.end(), refused.begin(), refused.end());
      rest = without(rest, refused);
    }
  }

  const OptionQuestion& question_;
  Progress& progress_;
  suite::PlannedCase planned_;
  OptionRuns runs_;
  std::vector<OptionNeed> needs_;
  SideNoise noise_;
  double whole_gap_ = 0;
  OptionFindings found_;
};

}  // namespace

OptionFindings search_options(const suite::Case& sides, const OptionQuestion& question,
                              const suite::RunSettings& options, Progress& progress) {
  return OptionSearch(sides, question, options, progress).search();
}

}  // namespace parity::bisect
