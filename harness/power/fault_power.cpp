// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/fault_power.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/power/places.hpp"
#include "harness/power/smallest_size.hpp"

namespace parity::power {
namespace {

constexpr int64_t batch = 8;      // trials at a time
constexpr size_t most_shown = 5;  // number of examples to keep
enum class Half { arms, golden };

int64_t allowed_misses(int64_t samples) {
  return static_cast<int64_t>(std::floor(static_cast<double>(samples) * (1 - wanted_power) + 1e-9));
}

bool is_seen(const Trial& trial, Half half) {
  return half == Half::arms ? trial.seen_by_arms() : trial.seen_by_golden();
}

/// The trials of one kind, by size and place.
class Attempts {
 public:
  Attempts(const FaultQuestion& question, const Places& places, const RunTrials& run)
      : question_(question), places_(places), run_(run) {}

  /// Tries the places of one size until all are tried or more than the allowed number were missed.
  /// \return detected and tried places
  Tally seen_at(double size, Half half) {
    Tally tally;
    for (int64_t first = 0; first < question_.samples; first += batch) {
      for (const Trial& trial : trials(size, first, std::min(first + batch, question_.samples)))
        if (trial.refused.empty())
          tally.add(is_seen(trial, half));
      if (tally.trials - tally.hits > allowed_misses(question_.samples))
        break;
    }
    return tally;
  }

  /// Returns the trials of a kind without a size. Draws more places for those at which the fault has no
  /// effect.
  std::vector<Trial> effective() {
    std::vector<Trial> kept;
    int64_t missing = question_.samples;
    for (int64_t first = 0; first < 2 * question_.samples && missing > 0;) {
      const int64_t end = first + std::min(batch, missing);
      for (Trial& trial : trials(0, first, end))
        if (trial.refused.empty() && trial.has_effect)
          kept.push_back(std::move(trial));
      if (all_refused())
        break;
      first = end;
      missing = question_.samples - static_cast<int64_t>(kept.size());
    }
    return kept;
  }

  /// Returns all trials.
  const std::map<std::pair<double, int64_t>, Trial>& all() const { return known_; }

  bool all_refused() const {
    return std::none_of(known_.begin(), known_.end(),
                        [](const auto& entry) { return entry.second.refused.empty(); });
  }

 private:
  std::vector<Trial> trials(double size, int64_t first, int64_t end) {
    std::vector<trace::Fault> faults;
    for (int64_t n = first; n < end; ++n)
      faults.push_back(places_.draw(n, size));
    std::vector<Trial> found = run_(faults);
    for (int64_t n = first; n < end; ++n)
      known_[{size, n}] = found[static_cast<size_t>(n - first)];
    return found;
  }

  const FaultQuestion& question_;
  const Places& places_;
  const RunTrials& run_;
  std::map<std::pair<double, int64_t>, Trial> known_;
};

HalfPower search(Attempts& attempts, const FaultQuestion& question, Half half) {
  const std::vector<double>& sizes = tried_sizes();
  std::map<size_t, Tally> tallies;
  const SmallestSize found = smallest_size(sizes.size(), [&](size_t index) {
    const Tally tally = tallies[index] = attempts.seen_at(sizes[index], half);
    return tally.trials > 0 && tally.trials - tally.hits <= allowed_misses(question.samples);
  });
  HalfPower power;
  power.rising = found.rising;
  power.seen = tallies[found.index.value_or(sizes.size() - 1)];
  if (found.index)
    power.size = sizes[*found.index];
  return power;
}

/// Counts the detected faults that were located correctly, and keeps examples of the others.
void count_names(FaultPower& power, const Attempts& attempts) {
  const bool sized = row_of(power.kind).sized;
  const auto limit = [&](const HalfPower& half) { return !sized ? 0.0 : half.size.value_or(INFINITY); };
  const double smallest = std::min(limit(power.arms), power.golden ? limit(*power.golden) : INFINITY);
  for (const auto& [place, trial] : attempts.all()) {
    if (!trial.seen() || place.first < smallest)
      continue;
    power.named.add(trial.is_named());
    if (!trial.is_named() && power.misnamed.size() < most_shown)
      power.misnamed.push_back(trial);
  }
}

void take_unsized(FaultPower& power, Attempts& attempts) {
  for (const Trial& trial : attempts.effective()) {
    power.arms.seen.add(trial.seen_by_arms());
    if (power.golden)
      power.golden->seen.add(trial.seen_by_golden());
    if (!trial.seen() && power.missed.size() < most_shown)
      power.missed.push_back(trial);
  }
}

Json trials_json(const std::vector<Trial>& trials) {
  Json list = Json::array();
  for (const Trial& trial : trials)
    list.push_back(trial.to_json());
  return list;
}

}  // namespace

const std::vector<double>& tried_sizes() {
  static const std::vector<double> sizes = {1e-14, 3e-14, 1e-13, 3e-13, 1e-12, 3e-12, 1e-11, 3e-11, 1e-10,
                                            3e-10, 1e-9,  3e-9,  1e-8,  3e-8,  1e-7,  3e-7,  1e-6,  3e-6,
                                            1e-5,  3e-5,  1e-4,  3e-4,  1e-3,  3e-3,  1e-2,  3e-2,  1e-1};
  return sizes;
}

Json HalfPower::to_json() const {
  return {{"size", size ? Json(*size) : Json()},
          {"seen", seen.hits},
          {"of", seen.trials},
          {"at_least", at_least(seen)},
          {"rising", rising}};
}

Json FaultPower::to_json() const {
  return {{"kind", name_of(kind)},
          {"phase", name_of(phase)},
          {"arms", arms.to_json()},
          {"golden", golden ? golden->to_json() : Json()},
          {"named", {{"right", named.hits}, {"of", named.trials}}},
          {"without_effect", without_effect},
          {"refused", refused},
          {"not_applicable", not_applicable},
          {"misnamed", trials_json(misnamed)},
          {"missed", trials_json(missed)}};
}

FaultPower fault_power(const FaultQuestion& question, const trace::Trace& healthy, bool has_golden,
                       const RunTrials& run) {
  FaultPower power;
  power.kind = question.kind;
  power.phase = question.phase;
  if (has_golden)
    power.golden.emplace();
  const Places places(healthy, question.kind, question.phase, question.seed);
  if (places.empty()) {
    power.not_applicable = "the run has no such tensor";
    return power;
  }
  Attempts attempts(question, places, run);
  if (row_of(question.kind).sized) {
    power.arms = search(attempts, question, Half::arms);
    if (has_golden)
      power.golden = search(attempts, question, Half::golden);
  } else {
    take_unsized(power, attempts);
  }
  for (const auto& [place, trial] : attempts.all()) {
    power.refused += !trial.refused.empty();
    power.without_effect += trial.refused.empty() && !trial.has_effect;
  }
  if (attempts.all_refused())
    power.not_applicable = attempts.all().begin()->second.refused;
  count_names(power, attempts);
  return power;
}

}  // namespace parity::power
