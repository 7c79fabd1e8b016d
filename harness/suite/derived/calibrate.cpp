// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/derived/noise_measure.hpp"
#include "harness/suite/plan/identity/machine.hpp"

namespace parity::suite {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Json growth_json(const compare::Growth& growth) {
  if (!growth.known())
    return nullptr;
  return {{"d0", json_number(growth.initial)},
          {"lambda", json_number(growth.rate)},
          {"saturation", std::isfinite(growth.saturation) ? Json(growth.saturation) : Json()},
          {"points", growth.points}};
}

/// Returns the kind with the most noise at the last step of a quantity.
std::string leading_kind(const compare::Floors& floors, const std::string& arm, const std::string& quantity) {
  const compare::FloorRow* last = nullptr;
  for (const compare::FloorRow& row : floors.arms.at(arm).rows)
    if (row.quantity == quantity)
      last = &row;
  if (!last || last->largest() == 0)
    return "";
  for (size_t i = 0; i < last->noise.size(); ++i)
    if (last->noise[i] == last->largest())
      return floors.kinds[i];
  return "";
}

/// Fills in the noise of a quantity, of the arm of the check with the most noise.
void fill_floor_line(FloorLine& line, const compare::Floors& floors, const std::string& quantity) {
  for (const std::string& arm : line.arms) {
    const auto measured = floors.arms.find(arm);
    if (measured == floors.arms.end())
      continue;
    const compare::FloorCurve curve(measured->second, quantity);
    if (curve.empty())
      continue;
    const std::vector<int64_t> steps = curve.steps();
    const double last = curve.relative_at(steps.back()).value_or(0);
    if (!line.kind.empty() && last <= line.last)
      continue;
    line.last = last;
    line.growth = curve.growth();
    line.kind = leading_kind(floors, arm, quantity);
    const auto first =
        std::find_if(steps.begin(), steps.end(), [&](int64_t step) { return curve.at(step) > 0.0; });
    line.first = first == steps.end() ? 0 : curve.relative_at(*first).value_or(0);
  }
}

/// Returns the smallest ratio of limit to gap over the steps.
double headroom_of(const compare::BoundedGap& gap, const compare::BoundRule& rule) {
  double least = infinity;
  for (const compare::BoundedStep& step : gap.steps)
    if (step.gap > 0)
      least = std::min(least, rule.limit(step) / step.gap);
  return gap.broken.empty() ? least : 0;
}

/// Returns whether the floor decides the check: always for `bounded`, and for `equivalent` if twins do not.
bool is_bounded(const compare::Check& check, const std::vector<compare::Side>& sides) {
  return check.relation == compare::Relation::bounded ||
         (check.relation == compare::Relation::equivalent &&
          std::any_of(sides.begin(), sides.end(),
                      [](const compare::Side& side) { return side.sixteen_bits; }));
}

std::string describe_bound(const compare::Check& check, const compare::BoundRule& rule, bool bounded) {
  if (!bounded)
    return check.relation == compare::Relation::equivalent || check.relation == compare::Relation::distinct
               ? "float64 twins"
               : "bits";
  return rule.tolerance ? compare::size_text(*rule.tolerance) : fmt::format("{:.0f} floors", rule.alpha);
}

std::vector<std::string> quantities_of(const Case& source, const compare::Check& check,
                                       const trace::Trace& trace) {
  Case only = source;
  only.checks = {check};
  const WantedQuantities wanted = wanted_of(only, check.arms.front(), trace);
  std::vector<std::string> names = wanted.channels;
  for (const trace::TensorKey& key : wanted.tensors)
    if (const std::string name = fmt::format("{} {}", name_of(key.phase), key.name);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return names;
}

void add_lines(Calibration& found, const Case& source, size_t number,
               const std::map<std::string, compare::ArmEvidence>& arms) {
  const compare::Check& check = source.checks[number];
  std::vector<compare::Side> sides;
  for (const std::string& name : check.arms) {
    const compare::ArmEvidence& arm = arms.at(name);
    const auto floors = found.floors.arms.find(name);
    sides.push_back(side_of(name, arm));
    sides.back().floors = floors == found.floors.arms.end() ? nullptr : &floors->second;
    sides.back().floors_problem = "";
  }
  const compare::BoundRule rule = rule_of(check);
  const bool bounded = is_bounded(check, sides);
  std::map<std::string, double> headroom;
  if (bounded && sides.size() == 2) {
    try {
      for (const compare::BoundedGap& gap : measure_bounded(check, sides))
        headroom[gap.quantity] = headroom_of(gap, rule);
    } catch (const compare::MissingEvidence&) {
      headroom.clear();  // the check itself reports what is missing
    }
  }
  for (const std::string& quantity : quantities_of(source, check, *arms.at(check.arms.front()).trace)) {
    FloorLine line;
    line.check = number;
    line.arms = check.arms;
    line.quantity = quantity;
    line.bound = describe_bound(check, rule, bounded);
    fill_floor_line(line, found.floors, quantity);
    if (const auto room = headroom.find(quantity); room != headroom.end())
      line.headroom = room->second;
    found.lines.push_back(std::move(line));
  }
}

/// Adds the distances of a 16-bit arm from its float32 form, relative to the noise of float32.
void add_sixteen_bits(Calibration& found, const NoisePlan& plan, const WantedQuantities& wanted,
                      const std::map<std::string, compare::ArmEvidence>& arms) {
  const compare::ArmFloors& floors = found.floors.arms.at(plan.arm);
  for (const std::string& channel : wanted.channels) {
    double noise = 0;
    for (const compare::FloorRow& row : floors.rows)
      if (row.quantity == channel)
        noise = std::hypot(noise, row.largest() / plan.factor());
    const SeriesGap gap = series_gap(*arms.at(plan.origin()).trace, *arms.at(plan.arm).trace, channel);
    if (gap.gap > 0 && noise > 0)
      found.sixteen_bits.push_back({plan.arm, channel, std::log2(gap.gap / noise)});
  }
}

void add_evidence(Calibration& found, const std::vector<NoisePlan>& plans) {
  Json& evidence = found.floors.evidence;
  evidence["left_out"] = Json::array();
  // The kind only, without the reason: a trainer's message may name this machine.
  for (const std::string& why : found.left_out)
    evidence["left_out"].push_back(why.substr(0, why.find(": ", why.find(": ") + 2)));
  Json growth = Json::object();
  for (const auto& [name, arm] : found.floors.arms)
    for (const std::string& quantity : arm.quantities())
      if (const compare::Growth fitted = compare::FloorCurve(arm, quantity).growth(); fitted.known())
        growth[name][quantity] = growth_json(fitted);
  evidence["growth"] = growth;
  Json factors = Json::object();
  for (const NoisePlan& plan : plans)
    if (plan.float32)
      factors[plan.arm] = plan.factor();
  evidence["factors"] = factors;
}

std::vector<NoisePlan> plans_of(const Case& source, int repeats, const RunSettings& options) {
  const PlannedCase planned = plan_arms(source, options);
  std::vector<NoisePlan> plans;
  for (const Arm& arm : source.arms)
    if (std::any_of(source.checks.begin(), source.checks.end(), [&](const compare::Check& check) {
          return std::find(check.arms.begin(), check.arms.end(), arm.name) != check.arms.end();
        }))
      plans.push_back(plan_noise(arm, planned.arm(arm.name).config, source.profile, repeats));
  return plans;
}

void require_finished(const std::vector<NoisePlan>& plans,
                      const std::map<std::string, compare::ArmEvidence>& arms) {
  for (const NoisePlan& plan : plans)
    for (const std::string& name : {plan.arm, plan.origin()})
      if (const compare::ArmEvidence& arm = arms.at(name); arm.crashed || !arm.trace)
        throw UserError(fmt::format("cannot measure the noise of arm {} ({}); fix its run first", name,
                                    arm.failure.empty() ? "its run did not finish" : arm.failure),
                        ExitCode::crashed);
}

}  // namespace

Json FloorLine::to_json() const {
  return {{"check", check + 1},
          {"arms", arms},
          {"quantity", quantity},
          {"first", json_number(first)},
          {"last", json_number(last)},
          {"growth", growth_json(growth)},
          {"kind", kind},
          {"bound", bound},
          {"headroom", headroom ? json_number(*headroom) : Json()}};
}

Calibration measure_noise(const Case& source, const std::vector<NoisePlan>& plans,
                          const std::map<std::string, compare::ArmEvidence>& arms) {
  require_finished(plans, arms);
  Calibration found;
  for (const std::string_view kind : EnumNames<compare::NoiseKind>::names)
    found.floors.kinds.emplace_back(kind);
  for (const NoisePlan& plan : plans) {
    for (const std::string& why : plan.left_out)
      found.left_out.push_back(plan.arm + ": " + why);
    const WantedQuantities wanted = wanted_of(source, plan.arm, *arms.at(plan.arm).trace);
    compare::ArmFloors floors = measure_arm(plan, wanted, arms, found.left_out);
    if (floors.rows.empty())
      continue;
    found.floors.arms[plan.arm] = std::move(floors);
    if (plan.float32)
      add_sixteen_bits(found, plan, wanted, arms);
  }
  if (found.floors.empty())
    throw UserError(
        fmt::format(
            "cannot calibrate {} (its checks compare counts, or none of its arms can run in another way)",
            source.name),
        ExitCode::missing);
  for (size_t i = 0; i < source.checks.size(); ++i)
    add_lines(found, source, i, arms);
  add_evidence(found, plans);
  return found;
}

Calibration calibrate(const Case& source, int repeats, const RunSettings& options, Progress& progress) {
  if (source.problem)
    throw UserError(
        fmt::format("cannot calibrate {} (its checks follow from float64 twins and exact results, not from "
                    "measured noise); run it with parity run",
                    source.name));
  const std::vector<NoisePlan> plans = plans_of(source, repeats, options);
  std::vector<ExtraArm> extra;
  for (const NoisePlan& plan : plans) {
    if (plan.float32)
      extra.push_back(*plan.float32);
    for (const NoiseArm& noise : plan.noise)
      extra.push_back(noise.arm);
  }
  const ArmRuns runs = run_arms(with_extra_arms(source, extra), options, progress);
  Calibration found = measure_noise(source, plans, runs.evidence.arms());
  found.floors.evidence["repeats"] = repeats;
  found.runs = runs.runs.size();
  found.cached = static_cast<size_t>(
      std::count_if(runs.runs.begin(), runs.runs.end(), [](const auto& run) { return run.second.cached; }));
  return found;
}

Calibration calibrate_and_record(const Case& source, int repeats, const RunSettings& options,
                                 Progress& progress) {
  Calibration found = calibrate(source, repeats, options, progress);
  const std::string command = fmt::format("parity calibrate {} --repeats {}", source.name, repeats);
  const std::string commit = options.producer.value("commit", "");
  found.floors.evidence["command"] = command;
  found.floors.evidence["cpu"] = this_cpu().to_json();
  found.floors.evidence["commit"] = commit;
  golden::record_floors(source.golden_file,
                        {source.name, "parity " + options.producer.value("version", ""), commit, command},
                        found.floors);
  return found;
}

}  // namespace parity::suite
