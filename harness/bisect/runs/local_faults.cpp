// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/local_faults.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/bisect/runs/rounding.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

constexpr int64_t most_bytes = int64_t{4} << 30;  // of the tensors of one update, kept in a file
constexpr size_t most_stations = 3;

/// Returns whether other tensors of the update are computed from this one. Weights count only as the initial
/// ones. Parameters after the update and the optimizer's state come last, so nothing follows from them.
bool is_handed_on(const trace::TensorKey& key) {
  return key.step == 0 || (key.phase != trace::Phase::input && key.phase < trace::Phase::optim);
}

int64_t bytes_to_keep(const trace::Trace& trace, const trace::CaptureRule& update) {
  int64_t bytes = 0;
  for (const trace::SketchRow& row : trace.sketches())
    if (update.covers(row.key.step, row.key.phase, row.key.name) && is_handed_on(row.key))
      bytes += element_count(row.shape) * static_cast<int64_t>(size_of(row.dtype));
  return bytes;
}

/// Returns capture rules by name, so that tensors of operators are not recorded too.
std::vector<trace::CaptureRule> rules_to_keep(const FirstBadUpdate& update) {
  std::map<trace::Phase, trace::CaptureRule> rules;
  for (const trace::SketchRow& row : update.traces().expected_trace().sketches())
    if (row.key.step == update.step() && is_handed_on(row.key))
      rules[row.key.phase].names.push_back(row.key.name);
  std::vector<trace::CaptureRule> all;
  for (auto& [phase, rule] : rules) {
    rule.steps = {update.step()};
    rule.phases = {phase};
    all.push_back(std::move(rule));
  }
  // The state before the update, since the sides' own states may already differ by rounding.
  all.push_back({{update.step() - 1}, {trace::Phase::optim, trace::Phase::param}, {}});
  return all;
}

std::string name_with_gap(const TensorStation& station) {
  const std::string name = fmt::format("{} {}", name_of(station.key.phase), station.key.name);
  return station.relative ? fmt::format("{} ({:.1e})", name, *station.relative) : name;
}

std::string list_of(const std::vector<TensorStation>& stations) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(stations.size(), most_stations); ++i)
    names.push_back(name_with_gap(stations[i]));
  const size_t more = stations.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

double largest_gap(const std::vector<TensorStation>& stations) {
  double largest = 0;
  for (const TensorStation& station : stations)
    largest = std::max(largest, station.relative.value_or(0));
  return largest;
}

/// Returns whether another order of sums explains a difference.
using IsRounding = std::function<bool(const TensorStation&)>;

LocalFaults local_faults(const SideTraces& fed, const FirstBadUpdate& update, double beyond,
                         const IsRounding& is_rounding) {
  LocalFaults faults;
  const auto is_own = [&](const TensorStation& station) {
    return std::ranges::find(faults.own, station.key, &TensorStation::key) != faults.own.end();
  };
  for (const int64_t step : update.everything().steps) {
    const TensorPath alone = compare_path(fed.expected_trace(), fed.actual_trace(), step);
    const TensorPath together =
        compare_path(update.traces().expected_trace(), update.traces().actual_trace(), step);
    faults.tensors += static_cast<int64_t>(alone.stations.size());
    for (const TensorStation& station : alone.stations)
      if (station.differs_beyond(beyond)) {
        faults.own.push_back(station);
        if (!is_rounding(station))
          faults.loud.push_back(station);
      }
    for (const TensorStation& station : together.stations)
      faults.inherited += station.differs_beyond(beyond) && !is_own(station);
  }
  return faults;
}

}  // namespace

std::string LocalFaults::describe(const std::string& fed_with) const {
  std::string text = fmt::format("with the values of {} after each tensor, ", fed_with);
  if (loud.empty() && own.empty())
    return text + fmt::format("none of the {} tensors differs", tensors);
  if (loud.empty())
    return text + fmt::format(
                      "no local error of the {} tensors exceeds {:.1e}, which another order of sums explains",
                      tensors, largest_gap(own));
  text += fmt::format("{} of {} tensors {} local error{}: {}", loud.size(), tensors,
                      loud.size() == 1 ? "has a" : "have", loud.size() == 1 ? "" : "s", list_of(loud));
  if (own.size() > loud.size())
    text += fmt::format("; {} more differ by rounding", own.size() - loud.size());
  if (inherited > 0)
    text += fmt::format("; {} inherit{} the difference", inherited, inherited == 1 ? "s" : "");
  return text;
}

Json LocalFaults::to_json() const {
  Json tensors_json = Json::array();
  for (const TensorStation& station : own)
    tensors_json.push_back(
        {{"step", station.key.step},
         {"phase", name_of(station.key.phase)},
         {"name", station.key.name},
         {"relative_l2", station.relative ? json_number(*station.relative) : Json()},
         {"rounding", std::ranges::find(loud, station.key, &TensorStation::key) == loud.end()}});
  return {{"own", tensors_json}, {"inherited", inherited}, {"tensors", tensors}};
}

std::optional<LocalFaults> find_local_faults(RunProbe& probe, FirstBadUpdate& update,
                                             const FloorSearch* measured) {
  const trace::TensorKey& first = update.first()->key;
  if (!probe.runs().can_be_fed() || !is_handed_on(first))
    return std::nullopt;
  const int64_t bytes = bytes_to_keep(update.traces().expected_trace(), update.everything());
  if (bytes > most_bytes) {
    probe.note(fmt::format("local errors were not measured: the tensors of update {} have {:.1f} GiB",
                           update.step(), static_cast<double>(bytes) / (int64_t{1} << 30)));
    return std::nullopt;
  }
  trace::Capture kept, compared;
  kept.tensors = rules_to_keep(update);
  compared.sketches.push_back(update.everything());
  kept.sketches = compared.sketches;
  const SideTraces fed = update.run_fed(kept, compared);
  const bool may_round = probe.beyond() == 0 && !probe.runs().config_differences().empty();
  const DType coarsest = coarsest_dtype(update.path());
  LocalFaults faults = local_faults(fed, update, probe.beyond(), [&](const TensorStation& station) {
    if (measured != nullptr)
      return measured->is_rounding(station);
    return may_round && is_of_roundings_size(station, coarsest);
  });
  probe.report("local", faults.describe(probe.sides().expected),
               probe.compare_command(fed, faults.own.empty() ? first : faults.own.front().key),
               faults.to_json());
  return faults;
}

}  // namespace parity::bisect
