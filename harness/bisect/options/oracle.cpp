// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/oracle.hpp"

#include <algorithm>
#include <iterator>

#include "harness/bisect/search/sequential_test.hpp"

namespace parity::bisect {
namespace {

Toggles joined(Toggles a, const Toggles& b) {
  a.insert(b.begin(), b.end());
  return a;
}

}  // namespace

OptionOracle::OptionOracle(OptionRuns& runs, const SideClassifier& sides, const RunCurves& good, Toggles low,
                           Toggles free, std::vector<OptionNeed>& needs)
    : runs_(runs), sides_(sides), good_(good), low_(std::move(low)), free_(std::move(free)), needs_(needs) {}

Toggles OptionOracle::closed(const Toggles& on) const {
  Toggles all = without(closed_under(needs_, joined(low_, on)), low_);
  std::erase_if(all, [&](size_t i) { return !free_.contains(i); });
  return all;
}

Hybrid OptionOracle::hybrid(const Toggles& closed, Reach reach, int repeat) const {
  const bool short_run = reach == Reach::diverging_step && !sides_.by_failure() && runs_.can_stop();
  const int64_t last = sides_.ruler().steps().empty() ? 0 : sides_.ruler().steps().back();
  const int64_t stop = short_run && sides_.divergence().step < last ? sides_.divergence().step : 0;
  return {joined(low_, closed), stop, repeat, false};
}

const RunCurves& OptionOracle::run(const Toggles& on, Reach reach) {
  return runs_.of(hybrid(closed(on), reach, 0));
}

void OptionOracle::confirm_by_repeats(OptionAnswer& answer, const Toggles& closed, Reach reach) {
  SequentialTest test;
  for (int repeat = 0; !test.decision(); ++repeat) {
    const Likeness seen = sides_.of(runs_.of(hybrid(closed, reach, repeat)));
    if (seen == Likeness::unknown) {
      answer.likeness = seen;
      return;
    }
    test.add(seen == Likeness::good);
    answer.looks = test.looks();
  }
  answer.likeness = *test.decision() ? Likeness::good : Likeness::bad;
}

OptionAnswer OptionOracle::answer(const Toggles& on, Reach reach) {
  OptionAnswer answer;
  answer.on = on;
  while (true) {
    const Toggles all = closed(on);
    answer.added = without(all, on);
    const RunCurves& run = runs_.of(hybrid(all, reach, 0));
    answer.failure = run.failure;
    if (run.failure_kind == results::FailureKind::bad_config)
      if (auto need = need_from(run.failure, runs_.toggles(), joined(low_, all), without(free_, all))) {
        needs_.push_back(std::move(*need));
        continue;
      }
    answer.likeness = sides_.of(run);
    if (run.finished() && !sides_.by_failure())
      answer.from_good = sides_.ruler().farthest(good_, run, sides_.divergence().step);
    if (noise_ == Noise::bad_side && run.finished())
      confirm_by_repeats(answer, all, reach);
    return answer;
  }
}

Likeness OptionOracle::ask(const Toggles& on, Reach reach) {
  answers_.push_back(answer(on, reach));
  if (listener_)
    listener_(answers_.back());
  return answers_.back().likeness;
}

}  // namespace parity::bisect
