// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "schedule": lr and weight_decay over updates follow one schedule, that of the config if it names one.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "harness/laws/laws.hpp"
#include "harness/laws/schedules/curve.hpp"

namespace parity::laws {
namespace {

double scale_of(const Points& points) {
  double most = 0;
  for (const double y : points.y)
    most = std::max(most, std::abs(y));
  return most;
}

/// Returns the first point that a curve does not give; the number of points if there is none.
size_t first_break(const Points& points, const Curve& curve, double tolerance, int64_t shift = 0,
                   size_t from = 0) {
  for (size_t i = from; i < points.size(); ++i)
    if (points.c[i] + shift < 0 || !(std::abs(points.y[i] - curve.at(points.c[i] + shift)) <= tolerance))
      return i;
  return points.size();
}

/// Returns what gives the points from a break on: the same curve, moved or scaled; "" if nothing does.
std::string explain_break(const Points& points, const Curve& curve, double tolerance, size_t at) {
  const size_t n = points.size();
  const int64_t here = points.c[at];
  if (at + 1 < n && first_break(points, curve, tolerance, 0, at + 1) == n)
    return "only this update";
  const int64_t reach = points.c.back() + 1;
  if (at > 0 && n - at > 1 && first_break(points, curve, tolerance, -here, at) == n)
    return "it starts again there";
  for (int64_t shift = 1; n - at > 1 && shift <= reach; ++shift)
    for (const int64_t one : {shift, -shift})
      if (first_break(points, curve, tolerance, one, at) == n)
        return fmt::format("{} {} update{} {}", at == 0 ? "it is" : "from there on it is", shift,
                           shift == 1 ? "" : "s", one > 0 ? "ahead" : "behind");
  const double wanted = curve.at(here);
  const double factor = points.y[at] / wanted;
  const Curve scaled{"", [&](int64_t c) { return factor * curve.at(c); }};
  const char* from = at == 0 ? "it is" : "from there on it is";
  if (wanted != 0 && n - at > 1 &&
      first_break(points, scaled, tolerance * std::max(1.0, std::abs(factor)), 0, at) == n)
    return fmt::format("{} {:.6g} times that", from, factor);
  return "";
}

Departure schedule_departure(const std::string& name, const Points& points, const Curve& curve,
                             const std::string& whose, double tolerance, size_t at) {
  const double wanted = curve.at(points.c[at]);
  Departure found;
  found.sentence = fmt::format("{} is {:.6g} at update {}, where {} ({}) gives {:.6g}", name, points.y[at],
                               points.c[at] + 1, whose, curve.text, wanted);
  if (const std::string why = explain_break(points, curve, tolerance, at); !why.empty())
    found.sentence += ": " + why;
  else if (const std::optional<Curve> other = at == 0 ? find_curve(points) : std::nullopt)
    found.sentence += ": it follows " + other->text;
  found.step = points.c[at] + 1;
  if (wanted != 0)
    found.factor = points.y[at] / wanted;
  return found;
}

/// Compares a channel with the schedule that the config names.
void compare_promised(const std::string& name, const Points& points, const Curve& curve, Finding& finding) {
  const double tolerance = 1e-13 * scale_of(points);
  size_t first = points.size();
  for (size_t i = 0; i < points.size(); ++i)
    if (!finding.compare(std::abs(points.y[i] - curve.at(points.c[i])), tolerance))
      first = std::min(first, i);
  if (first < points.size())
    finding.departures.push_back(
        schedule_departure(name, points, curve, "the config's schedule", 1e-9 * scale_of(points), first));
  else
    finding.notes.push_back(fmt::format("{} follows the config's {}", name, curve.text));
}

/// Adds a departure for a value that is not finite. \return whether there is one
bool has_not_finite(const std::string& name, const Points& points, Finding& finding) {
  for (size_t i = 0; i < points.size(); ++i)
    if (!std::isfinite(points.y[i])) {
      finding.departures.push_back({fmt::format("{} is {} at update {}", name, points.y[i], points.c[i] + 1),
                                    points.c[i] + 1,
                                    "",
                                    {},
                                    {}});
      return true;
    }
  return false;
}

/// Returns how many of the first points one schedule gives, if these are at least half of them; else 0.
size_t longest_known(const Points& points) {
  size_t known = std::max<size_t>(5, (points.size() + 1) / 2), beyond = points.size();
  if (known >= beyond || !find_curve(points.first(known)))
    return 0;
  while (known + 1 < beyond) {
    const size_t middle = (known + beyond) / 2;
    (find_curve(points.first(middle)) ? known : beyond) = middle;
  }
  return known;
}

/// Returns where values leave the schedule of those before. A few values after the break may still fit, as a
/// fall and a plateau: an earlier break that explains the rest goes first.
std::optional<Departure> find_break(const std::string& name, const Points& points) {
  std::optional<Departure> found;
  const size_t longest = longest_known(points);
  for (size_t known = longest; known >= 5 && known + 3 >= longest; --known) {
    const std::optional<Curve> curve = find_curve(points.first(known));
    if (!curve)
      continue;
    const double tolerance = tolerance_of(points);
    const bool explained = !explain_break(points, *curve, tolerance, known).empty();
    if (explained || !found)
      found =
          schedule_departure(name, points, *curve, "the schedule of the updates before", tolerance, known);
    if (explained)
      break;
  }
  return found;
}

/// Returns the update whose value alone leaves a schedule that gives all others. It bends the curve most, or
/// is next to the one that does.
std::optional<Departure> find_lone_value(const std::string& name, const Points& points) {
  constexpr size_t fewest = 7;  // fewer points do not show a schedule without one of them
  std::vector<std::pair<double, size_t>> bends;
  for (size_t i = 1; points.size() >= fewest && i + 1 < points.size(); ++i)
    bends.emplace_back(std::abs(points.y[i - 1] - 2 * points.y[i] + points.y[i + 1]), i);
  std::ranges::sort(bends, std::greater());
  for (size_t k = 0; k < std::min<size_t>(3, bends.size()); ++k) {
    const size_t at = bends[k].second;
    Points others = points;
    others.c.erase(others.c.begin() + static_cast<ptrdiff_t>(at));
    others.y.erase(others.y.begin() + static_cast<ptrdiff_t>(at));
    if (const std::optional<Curve> curve = find_curve(others))
      return schedule_departure(name, points, *curve, "the schedule of all other updates",
                                tolerance_of(points), at);
  }
  return std::nullopt;
}

/// Returns the first update with another value than the constant that a run begins and ends with, if most
/// updates have that.
std::optional<Departure> find_other_values(const std::string& name, const Points& points) {
  const double tolerance = tolerance_of(points), value = points.y.front();
  const auto is_value = [&](double y) { return std::abs(y - value) <= tolerance; };
  const auto other = std::ranges::find_if_not(points.y, is_value);
  if (!is_value(points.y.back()) || other == points.y.end() ||
      2 * static_cast<size_t>(std::ranges::count_if(points.y, is_value)) <= points.size())
    return std::nullopt;
  const Curve constant{fmt::format("{:.6g}", value), [value](int64_t) { return value; }};
  return schedule_departure(name, points, constant, "the value of most updates", tolerance,
                            static_cast<size_t>(other - points.y.begin()));
}

/// Finds a schedule without a config. One that gives most of the points shows where the others leave it.
void compare_found(const RecordedRun& run, const std::string& name, const Points& points, Finding& finding) {
  const size_t n = points.size();
  if (const std::optional<Curve> curve = find_curve(points)) {
    finding.checked += static_cast<int64_t>(n);
    finding.notes.push_back(fmt::format("{}: {}", name, curve->text));
    return;
  }
  if (const std::string stages = describe_stages(points); !stages.empty()) {
    finding.why = fmt::format("the values of {} {}, and no config says whether that is meant", name, stages);
    finding.record = "the config that names the schedule";
    return;
  }
  std::optional<Departure> found;
  if (!run.trace().provenance().contains("imported")) {
    found = find_lone_value(name, points);
    if (!found)
      found = find_other_values(name, points);
    if (!found)
      found = find_break(name, points);
  }
  if (found) {
    finding.checked += static_cast<int64_t>(n);
    finding.departures.push_back(*found);
    return;
  }
  finding.why = fmt::format("no known schedule gives {}, and the trace has no config that names one", name);
  finding.record = "the config with lr.schedule, lr.base and the other keys of parity-train";
}

/// Judges a channel of another group without a config, and adds where it departs.
void judge_alone(const RecordedRun& run, const std::string& name, Finding& finding) {
  const Points points = points_of(run, name);
  if (has_not_finite(name, points, finding) || points.size() < 4)
    return;
  Finding own;
  compare_found(run, name, points, own);
  finding.checked += own.checked;
  if (!own.why.empty())
    finding.notes.push_back(fmt::format("{} is not judged: {}", name, own.why));
  finding.notes.insert(finding.notes.end(), own.notes.begin(), own.notes.end());
  finding.departures.insert(finding.departures.end(), own.departures.begin(), own.departures.end());
}

/// Notes parameter groups whose rate is not a constant multiple of the first group's.
void compare_groups(const RecordedRun& run, const Points& first, Finding& finding) {
  for (int group = 1; run.has_channel(fmt::format("lr.{}", group)); ++group) {
    const Points other = points_of(run, fmt::format("lr.{}", group));
    double factor = NAN;
    bool same = other.size() == first.size();
    for (size_t i = 0; i < first.size() && same; ++i) {
      if (first.y[i] == 0) {
        same = other.y[i] == 0;
        continue;
      }
      const double one = other.y[i] / first.y[i];
      same = std::isnan(factor) || std::abs(one - factor) <= 1e-9 * std::abs(factor);
      factor = std::isnan(factor) ? one : factor;
    }
    finding.notes.push_back(same && factor == 1 ? fmt::format("lr.{} equals lr", group)
                            : same              ? fmt::format("lr.{} is {:.6g} times lr", group, factor)
                                   : fmt::format("lr.{} is not a constant multiple of lr", group));
    if (!same)
      judge_alone(run, fmt::format("lr.{}", group), finding);
  }
}

Finding ask_rates(const RecordedRun& run) {
  Finding finding;
  const Points rates = points_of(run, "lr");
  if (rates.size() == 0) {
    finding.why = "the trace has no channel lr";
    return finding;
  }
  if (has_not_finite("lr", rates, finding))
    return finding;
  if (const std::optional<Curve> curve = promised_lr(run)) {
    compare_promised("lr", rates, *curve, finding);
  } else if (rates.size() < 4) {
    finding.why = fmt::format("{} learning rates do not show a schedule", rates.size());
    return finding;
  } else {
    compare_found(run, "lr", rates, finding);
  }
  compare_groups(run, rates, finding);
  for (int group = 1; run.has_channel(fmt::format("weight_decay.{}", group)); ++group)
    judge_alone(run, fmt::format("weight_decay.{}", group), finding);
  const Points decays = points_of(run, "weight_decay");
  if (decays.size() == 0)
    return finding;
  if (const std::optional<Curve> curve = promised_decay(run))
    compare_promised("weight_decay", decays, *curve, finding);
  else if (finding.why.empty() && decays.size() >= 4)
    compare_found(run, "weight_decay", decays, finding);
  return finding;
}

}  // namespace

Points points_of(const RecordedRun& run, const std::string& name) {
  Points points;
  for (const int64_t step : run.steps())
    if (const auto value = run.channel(name, step)) {
      points.c.push_back(step - 1);
      points.y.push_back(*value);
    }
  return points;
}

Finding ask_schedule(const RecordedRun& run) {
  Finding finding = ask_rates(run);
  judge_constants(run, finding);
  if (finding.checked > 0 && !finding.why.empty())
    finding.notes.push_back("not all of it is judged: " + finding.why);
  return finding;
}

}  // namespace parity::laws
