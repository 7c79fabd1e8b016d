// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "generator": tokens are written by the weights of the version that they are stamped with.
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/laws/laws.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {
namespace {

/// Returns the part of the model whose weights move the tokens most at an update, with "" for none.
std::pair<std::string, double> heaviest_part(const RecordedRun& run, int64_t step) {
  std::pair<std::string, double> heaviest;
  for (const auto& [name, channel] : run.trace().channels())
    if (name.starts_with("gap."))
      if (const auto moved = run.channel(name, step);
          moved && !std::isnan(heaviest.second) && !(*moved <= heaviest.second))
        heaviest = {name.substr(4), *moved};
  return heaviest;
}

Departure departure_at(const RecordedRun& run, int64_t step, double moved, bool is_current) {
  const auto [part, own] = heaviest_part(run, step);
  const std::string where = part.empty() ? std::string("the model") : part;
  const std::string why = is_current ? "although its tokens are stamped with the trainer's version"
                                     : "although lr was 0 at every update before";
  std::string sentence =
      fmt::format("the generator has other weights of {} at update {}, {}: they move a token by {:.3g} nats",
                  where, step, why, part.empty() ? moved : own);
  if (const auto gap = run.channel("gap", step))
    sentence += fmt::format("; the whole gap is {:.3g}", *gap);
  return {sentence, step, part, {}, {}};
}

/// Returns whether the weights did not move at an update. Weight decay is multiplied by lr.
bool stood_still(const RecordedRun& run, int64_t step) {
  const auto lr = run.channel("lr", step);
  return lr && *lr == 0 && run.channel("muon_lr", step).value_or(0) == 0;
}

}  // namespace

Finding ask_generator(const RecordedRun& run) {
  Finding finding;
  int64_t older = 0;
  bool never_moved = !run.steps().empty() && run.steps().front() == 1;  // else a part of a run
  for (const int64_t step : run.steps()) {
    const auto moved = run.channel("gap_weights", step), lag = run.channel("version_lag", step);
    const bool is_current = lag && *lag == 0;
    if (moved && !is_current && !never_moved)
      ++older;
    else if (moved && !finding.compare(*moved, 0) && finding.departures.empty())
      finding.departures.push_back(departure_at(run, step, *moved, is_current));
    never_moved = never_moved && stood_still(run, step);
  }
  if (older > 0)
    finding.notes.push_back(
        fmt::format("{} updates learn from an older version, whose weights differ by design", older));
  if (finding.answer() == Answer::not_asked) {
    finding.why = older > 0 ? "every update learns from an older version of the policy"
                            : "the gap between trainer and generator was not billed";
    finding.record = "channels gap_weights and version_lag; of parity-train: rl.bill = true";
  }
  return finding;
}

}  // namespace parity::laws
