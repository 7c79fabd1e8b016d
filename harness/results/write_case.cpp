// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/write_case.hpp"

#include "harness/base/json/number.hpp"
#include "harness/results/json_list.hpp"
#include "harness/results/write_check.hpp"

namespace parity::results {
namespace {

const char* status_name(ArmStatus status) {
  switch (status) {
    case ArmStatus::complete:
      return "complete";
    case ArmStatus::skipped:
      return "skipped";
    case ArmStatus::failed:
      break;
  }
  return "failed";
}

Json failure_json(const ArmFailure& failure) {
  Json json = {{"kind", name_of(failure.kind)}, {"message", failure.message}};
  if (failure.step)
    json["step"] = *failure.step;
  if (!failure.phase.empty())
    json["phase"] = failure.phase;
  if (!failure.tensor.empty())
    json["tensor"] = failure.tensor;
  return json;
}

Json arm_json(const Arm& arm) {
  return {{"name", arm.name},
          {"run", arm.run},
          {"twin", arm.twin.empty() ? Json() : Json(arm.twin)},
          {"trace", arm.trace},
          {"cached", arm.cached},
          {"ranks", arm.ranks},
          {"steps", arm.steps},
          {"seconds", arm.seconds},
          {"tokens_per_second", arm.tokens_per_second ? json_number(*arm.tokens_per_second) : Json()},
          {"config", arm.config},
          {"provenance", arm.provenance},
          {"status", status_name(arm.status)},
          {"failure", arm.failure ? failure_json(*arm.failure) : Json()},
          {"stderr_tail", arm.stderr_tail}};
}

Json difference_json(const ConfigDifference& difference) {
  Json values = Json::object();
  for (const auto& [arm, value] : difference.values)
    values[arm] = value;
  return {{"key", difference.key}, {"values", values}};
}

Json values_json(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values)
    list.push_back(value ? json_number(*value) : Json());
  return list;
}

Json series_json(const std::vector<Series>& all) {
  Json json = Json::object();
  for (const Series& series : all)
    json[series.arm] = values_json(series.values);
  return json;
}

Json curve_json(const Curve& curve) {
  return {{"channel", curve.channel},
          {"steps", curve.steps},
          {"series", series_json(curve.series)},
          {"gap", series_json(curve.gap)},
          {"floor", curve.floor.empty() ? Json() : values_json(curve.floor)},
          {"golden", curve.golden.empty() ? Json() : series_json(curve.golden)}};
}

Json times_json(const CaseTimes& times) {
  return {{"training", times.training},
          {"start", times.start},
          {"judging", times.judging},
          {"waiting", times.waiting}};
}

Json power_json(const PowerSummary& power) {
  return {{"sentence", power.sentence}, {"arm", power.arm}, {"clean", power.clean}};
}

Json calibration_json(const Calibration& calibration) {
  return {{"command", calibration.command}, {"runs", calibration.runs}, {"kinds", calibration.kinds}};
}

}  // namespace

Json to_json(const Case& item) {
  Json json = {{"name", item.name},
               {"file", item.file},
               {"title", item.title},
               {"question", item.question},
               {"source", item.source},
               {"tags", item.tags},
               {"reference", item.reference},
               {"passed", item.passed},
               {"verdict", item.verdict},
               {"sentence", item.sentence},
               {"seconds", item.seconds},
               {"time", item.times ? times_json(*item.times) : Json()},
               {"notes", item.notes},
               {"power", item.power ? power_json(*item.power) : Json()},
               {"calibration", item.calibration ? calibration_json(*item.calibration) : Json()},
               {"arms", list_json(item.arms, arm_json)},
               {"config_difference", list_json(item.config_difference, difference_json)},
               {"curves", list_json(item.curves, curve_json)},
               {"masks", list_json(item.masks, [](const MaskPicture& mask) { return to_json(mask); })},
               {"checks", list_json(item.checks, [](const Check& check) { return to_json(check); })},
               {"settings", item.settings},
               {"reproduce", item.reproduce},
               {"judged_from", item.judged_from}};
  if (!item.skipped.empty())
    json["skipped"] = item.skipped;
  return json;
}

}  // namespace parity::results
