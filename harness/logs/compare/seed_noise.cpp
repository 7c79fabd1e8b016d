// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/seed_noise.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/number.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {
namespace {

using compare::size_text;

const LogChannel& loss_of(const Log& log) {
  const auto found = log.channels.find("loss");
  if (found == log.channels.end())
    throw UserError("cannot use --noise (" + escape_to_line(log.file) +
                        " has no loss); name its channel by --map loss=THEIRS",
                    ExitCode::missing);
  return found->second;
}

std::vector<int64_t> common_steps(const std::vector<const LogChannel*>& runs) {
  std::vector<int64_t> steps = runs.front()->steps;
  for (const LogChannel* run : runs) {
    std::vector<int64_t> both;
    std::ranges::set_intersection(steps, run->steps, std::back_inserter(both));
    steps = std::move(both);
  }
  return steps;
}

/// Returns the values of a run at steps that it has.
std::vector<double> values_at(const LogChannel& run, const std::vector<int64_t>& steps) {
  std::vector<double> values;
  size_t i = 0;
  for (const int64_t step : steps) {
    while (run.steps[i] != step)
      ++i;
    values.push_back(run.values[i]);
  }
  return values;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  const double root = std::sqrt(sum / static_cast<double>(a.size()));
  return std::isnan(root) ? std::numeric_limits<double>::infinity() : root;
}

}  // namespace

SeedNoise measure_seed_noise(const Log& first, const Log& second, const std::vector<Log>& seeds) {
  std::vector<const LogChannel*> runs = {&loss_of(first), &loss_of(second)};
  for (const Log& seed : seeds)
    runs.push_back(&loss_of(seed));
  const std::vector<int64_t> steps = common_steps(runs);
  if (steps.empty())
    throw UserError("cannot use --noise (no step has a loss in all runs); give runs of the same length",
                    ExitCode::missing);
  std::vector<std::vector<double>> values;
  for (const LogChannel* run : runs)
    values.push_back(values_at(*run, steps));
  SeedNoise noise{
      .steps = steps.size(), .apart = distance(values[0], values[1]), .seeds = {}, .runs = seeds.size()};
  std::swap(values[0], values[1]);  // the first run is now among the seeds
  for (size_t i = 1; i < values.size(); ++i)
    for (size_t j = i + 1; j < values.size(); ++j) {
      noise.seeds.push_back(distance(values[i], values[j]));
      noise.as_far += i == 1 && noise.seeds.back() >= noise.apart ? 1 : 0;
    }
  std::ranges::sort(noise.seeds);
  return noise;
}

std::string SeedNoise::text() const {
  const std::string compared = fmt::format(
      "RMS gap of the loss over {}: {}; {} to {} between the {} of the first run and {}",
      compare::count_text(steps, "common step"), size_text(apart), size_text(seeds.front()),
      size_text(seeds.back()), compare::count_text(seeds.size(), "pair"), compare::count_text(runs, "seed"));
  const std::string chance =
      fmt::format("probability {:.2g} by rank; so few seeds give {:.2g} at least", probability(), smallest());
  return fmt::format("the two are {} apart than seeds are: {} ({})", beyond() ? "farther" : "not farther",
                     compared, chance);
}

Json SeedNoise::to_json() const {
  Json pairs = Json::array();
  for (const double pair : seeds)
    pairs.push_back(json_number(pair));
  return {{"steps", steps},      {"rms", json_number(apart)},    {"seeds_rms", pairs},
          {"farther", beyond()}, {"probability", probability()}, {"smallest_probability", smallest()}};
}

}  // namespace parity::logs
