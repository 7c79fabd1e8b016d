// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/restarts/continued.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/laws/batches/batch.hpp"
#include "harness/laws/schedules/curve.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

std::optional<double> counter_of(const RecordedRun& run, const TensorKey& key) {
  if (!run.has_values(key) || run.size(key) != 1)
    return std::nullopt;
  return run.values(key).front();
}

/// Returns whether a resumed run has the first values of a schedule again. The first of them may be the last
/// one of the run before, which the optimizer's groups keep until the schedule makes its first step.
bool starts_again(const Points& before, const Points& after, size_t saved) {
  const size_t common = std::min({before.size(), after.size(), saved});
  for (const size_t from : {0, 1})
    if (common >= from + 2 && std::equal(after.y.begin() + static_cast<ptrdiff_t>(from),
                                         after.y.begin() + static_cast<ptrdiff_t>(common),
                                         before.y.begin() + static_cast<ptrdiff_t>(from)))
      return true;
  return false;
}

void compare_rates(const Restart& restart, Finding& finding) {
  const Points before = points_of(*restart.before, "lr"), after = points_of(*restart.after, "lr");
  const auto saved =
      static_cast<size_t>(std::ranges::count_if(before.c, [&](int64_t c) { return c < restart.saved; }));
  if (saved < 2 || after.size() < 2 || before.y[saved - 1] == before.y[1])
    return;  // a schedule that did not move does not show where it is
  ++finding.checked;
  if (starts_again(before, after, saved))
    finding.departures.push_back(
        {fmt::format(
             "the schedule starts again: lr is {:.6g} at update {}, as at update {} of the run before, "
             "which had come to {:.6g}",
             after.y[1], after.c[1] + 1, before.c[1] + 1, before.y[saved - 1]),
         restart.first,
         "",
         {},
         {}});
}

void compare_batches(const Restart& restart, Finding& finding) {
  std::map<std::string, int64_t> earlier;
  for (const auto& [step, id] : batch_ids(*restart.before))
    if (step <= restart.saved)
      earlier.emplace(id, step);
  for (const auto& [step, id] : batch_ids(*restart.after))
    if (const auto found = earlier.find(id); found != earlier.end()) {
      finding.notes.push_back(fmt::format(
          "update {} reads the batch of update {} of the run before again; this is right only where an "
          "epoch begins",
          step, found->second));
      return;
    }
}

}  // namespace

std::string describe_lost_counters(const Restart& restart) {
  for (const TensorKey& key : restart.lost) {
    if (key.phase != Phase::optim || !key.name.starts_with("step/"))
      continue;
    TensorKey first = key;
    first.step = restart.first;
    const auto before = counter_of(*restart.before, key), after = counter_of(*restart.after, first);
    if (before && after && *after == 1 && *before > 0)
      return fmt::format("start from zero: the step counter of {} is 1 after update {}, in place of {}",
                         key.name.substr(std::string("step/").size()), restart.first, *before + 1);
  }
  return "";
}

void compare_channels(const Restart& restart, Finding& finding) {
  compare_rates(restart, finding);
  compare_batches(restart, finding);
}

}  // namespace parity::laws
