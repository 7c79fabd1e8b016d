// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/noise_floor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

constexpr int looks = 2;
constexpr double allowed = 4;  // times the floor; METRICS.md M6 has 3 to 10

/// Returns the relative change that another order of sums makes in one result. 16-bit results are sums in
/// float32, rounded once: one unit in the last place.
double shake_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 8 * 0x1p-52;
    case DType::bfloat16:
      return 0x1p-8;
    case DType::float16:
      return 0x1p-11;
    default:
      return 8 * 0x1p-23;
  }
}

bool is_shaken(const trace::SketchRow& row, int64_t step) {
  const trace::Phase phase = row.key.phase;
  return row.key.step == step && is_floating(row.dtype) &&
         (phase == trace::Phase::forward || phase == trace::Phase::backward || phase == trace::Phase::grad);
}

/// Returns the perturbations of a run.
/// \param steps  empty: every step
std::vector<trace::Fault> shakes_of(const FirstBadUpdate& update, int look,
                                    const std::vector<int64_t>& steps) {
  std::vector<trace::Fault> shakes;
  for (const trace::SketchRow& row : update.traces().expected_trace().sketches()) {
    if (!is_shaken(row, update.step()))
      continue;
    trace::Fault shake;
    shake.kind = trace::FaultKind::perturb;
    shake.steps = steps;
    shake.phase = row.key.phase;
    shake.name = row.key.name;
    shake.size = shake_of(row.dtype);
    shake.seed = static_cast<uint64_t>(look);
    shakes.push_back(std::move(shake));
  }
  return shakes;
}

void raise(NoiseFloor& floor, const SideTraces& shaken, int64_t step) {
  for (const TensorStation& station :
       compare_path(shaken.expected_trace(), shaken.actual_trace(), step).stations)
    if (station.relative)
      floor[station.key] = std::max(floor[station.key], *station.relative);
}

/// Measures the noise floor of an update that both sides start with the same state.
NoiseFloor floor_of_update(FirstBadUpdate& update) {
  NoiseFloor floor;
  trace::Capture capture;
  capture.sketches.push_back(update.everything());
  for (int look = 1; look <= looks; ++look)
    raise(
        floor,
        update.run_shaken("floor-" + std::to_string(look), capture, shakes_of(update, look, {update.step()})),
        update.step());
  return floor;
}

/// Returns the ratio of a tensor's difference to its floor.
double excess(const TensorStation& station, const NoiseFloor& floor) {
  const auto found = floor.find(station.key);
  if (!station.differs || !station.relative || found == floor.end() || !(found->second > 0))
    return 0;
  return *station.relative / found->second;
}

bool is_over(const TensorStation& station, const NoiseFloor& floor) {
  return station.split || excess(station, floor) > allowed;
}

/// Returns the first update with a tensor beyond what rounding makes in all updates so far.
/// \param floor  set to the floor of that update
std::optional<int64_t> first_update_beyond(RunProbe& probe, const FirstBadUpdate& update, NoiseFloor& floor) {
  trace::Capture capture;
  capture.sketches.push_back({});
  std::vector<SideTraces> shaken;
  for (int look = 1; look <= looks; ++look)
    shaken.push_back(
        probe.run_shaken("floor-whole-" + std::to_string(look), {}, capture, shakes_of(update, look, {})));
  const SideTraces sides = probe.run("floor-sides", {}, capture);
  for (const int64_t step : sides.expected_trace().steps()) {
    floor.clear();
    for (const SideTraces& each : shaken)
      raise(floor, each, step);
    const TensorPath path = compare_path(sides.expected_trace(), sides.actual_trace(), step);
    if (std::ranges::any_of(path.stations,
                            [&](const TensorStation& station) { return is_over(station, floor); }))
      return step;
  }
  return std::nullopt;
}

std::string describe_measurement(const RunProbe& probe) {
  return fmt::format("the noise floor of {} ({} perturbed runs)", probe.sides().expected, looks);
}

/// Returns the first tensor of the update that differs by more than its floor allows.
std::optional<TensorStation> judge(RunProbe& probe, const FirstBadUpdate& update, const NoiseFloor& floor) {
  const std::vector<TensorStation>& stations = update.path().stations;
  const auto over = [&](const TensorStation& station) { return is_over(station, floor); };
  const auto first = std::ranges::find_if(stations, over);
  if (first == stations.end()) {
    double largest = 0;
    for (const TensorStation& station : stations)
      largest = std::max(largest, excess(station, floor));
    probe.report(
        "floor",
        fmt::format("no error of a tensor of update {} exceeds {:.1f} times {}; {} times are allowed",
                    update.step(), largest, describe_measurement(probe), allowed),
        "", {{"looks", looks}, {"allowed", allowed}, {"largest", json_number(largest)}});
    return std::nullopt;
  }
  const double least = floor.contains(first->key) ? floor.at(first->key) : 0;
  probe.report(
      "floor",
      fmt::format("{} is the first tensor whose error ({:.1e}) exceeds {} times {} ({:.1e}); {} of {} do",
                  describe(first->key), first->relative.value_or(0), allowed, describe_measurement(probe),
                  least, std::ranges::count_if(stations, over), stations.size()),
      probe.compare_command(update.traces(), first->key),
      {{"looks", looks},
       {"allowed", allowed},
       {"step", first->key.step},
       {"phase", name_of(first->key.phase)},
       {"name", first->key.name},
       {"floor", json_number(least)}});
  return *first;
}

}  // namespace

FloorSearch search_beyond_floor(RunProbe& probe, FirstBadUpdate& update) {
  FloorSearch search;
  search.floor = floor_of_update(update);
  search.first = judge(probe, update, search.floor);
  if (search.first)
    return search;
  NoiseFloor of_later;
  const std::optional<int64_t> later = first_update_beyond(probe, update, of_later);
  if (!later) {
    probe.report("floor",
                 "no error of a later update exceeds it either, with the rounding of all updates before");
    return search;
  }
  update.move_to(*later);
  search.floor = std::move(of_later);
  search.first = judge(probe, update, search.floor);
  return search;
}

bool FloorSearch::is_rounding(const TensorStation& station) const {
  const auto found = floor.find(station.key);
  return !station.split && found != floor.end() && station.relative &&
         *station.relative <= allowed * found->second;
}

}  // namespace parity::bisect
