// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/noise_floor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/wording.hpp"

namespace parity {
namespace {

constexpr int looks = 2;
constexpr double allowed = 4;  // times the floor; METRICS.md M6 has 3 to 10

/// Relative; what another order of sums makes of one result. 16 bits are summed in float32 and rounded once:
/// a unit in the last place.
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

bool is_shaken(const SketchRow& row, int64_t step) {
  const Phase phase = row.key.phase;
  return row.key.step == step && is_floating(row.dtype) &&
         (phase == Phase::forward || phase == Phase::backward || phase == Phase::grad);
}

std::vector<Fault> shakes_of(const Trace& trace, int64_t step, int look) {
  std::vector<Fault> shakes;
  for (const SketchRow& row : trace.sketches()) {
    if (!is_shaken(row, step))
      continue;
    Fault shake;
    shake.kind = FaultKind::perturb;
    shake.steps = {step};
    shake.phase = row.key.phase;
    shake.name = row.key.name;
    shake.size = shake_of(row.dtype);
    shake.seed = static_cast<uint64_t>(look);
    shakes.push_back(std::move(shake));
  }
  return shakes;
}

NoiseFloor measure_floor(GuiltyUpdate& update) {
  NoiseFloor floor;
  Capture capture;
  capture.sketches.push_back(update.everything());
  for (int look = 1; look <= looks; ++look) {
    const SideTraces shaken =
        update.run_shaken("floor-" + std::to_string(look), capture,
                          shakes_of(update.traces().expected_trace(), update.step(), look));
    for (const TensorStation& station :
         compare_path(shaken.expected_trace(), shaken.actual_trace(), update.step()).stations)
      if (station.relative)
        floor[station.key] = std::max(floor[station.key], *station.relative);
  }
  return floor;
}

/// How many times the floor a tensor is off.
double excess(const TensorStation& station, const NoiseFloor& floor) {
  const auto found = floor.find(station.key);
  if (!station.differs || !station.relative || found == floor.end() || !(found->second > 0))
    return 0;
  return *station.relative / found->second;
}

}  // namespace

std::optional<BeyondFloor> find_beyond_floor(RunProbe& probe, GuiltyUpdate& update) {
  const NoiseFloor floor = measure_floor(update);
  const std::vector<TensorStation>& stations = update.path().stations;
  const auto over = [&](const TensorStation& station) { return excess(station, floor) > allowed; };
  const auto most = std::ranges::max_element(
      stations, {}, [&](const TensorStation& station) { return excess(station, floor); });
  const auto first = std::ranges::find_if(stations, over);
  const double largest = most == stations.end() ? 0 : excess(*most, floor);
  Json details = {{"looks", looks}, {"allowed", allowed}, {"largest", json_number(largest)}};
  const std::string how =
      fmt::format("what {} gets from itself when every result is moved by rounding's size ({} looks)",
                  probe.sides().expected, looks);
  if (first == stations.end()) {
    probe.tell("floor",
               fmt::format("no tensor of update {} is off by more than {:.1f} times {}; {} are allowed",
                           update.step(), largest, how, allowed),
               "", std::move(details));
    return std::nullopt;
  }
  const BeyondFloor found = {*first, floor.at(first->key)};
  details["phase"] = name_of(first->key.phase);
  details["name"] = first->key.name;
  details["floor"] = json_number(found.floor);
  probe.tell(
      "floor",
      fmt::format("{} is the first that is off by more ({:.1e}) than {} times {} ({:.1e}); {} of {} are",
                  words_of(first->key), *first->relative, allowed, how, found.floor,
                  std::ranges::count_if(stations, over), stations.size()),
      probe.compare_command(update.traces(), first->key), std::move(details));
  return found;
}

}  // namespace parity
