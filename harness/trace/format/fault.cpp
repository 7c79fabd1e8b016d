// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/fault.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"

namespace parity::trace {
namespace {

constexpr std::array<FaultKindRow, 10> table = {{
    {FaultKind::scale, true, FaultExtent::narrowable, "all elements by one factor"},
    {FaultKind::perturb, true, FaultExtent::narrowable, "each element up or down by the size"},
    {FaultKind::ulp, false, FaultExtent::element, "one element by one unit in the last place"},
    {FaultKind::sign_flip, false, FaultExtent::element, "one element's sign"},
    {FaultKind::bf16, false, FaultExtent::narrowable, "rounded to bfloat16"},
    {FaultKind::row_zeroed, false, FaultExtent::row, "one row lost"},
    {FaultKind::stale, false, FaultExtent::all, "the values of the step before"},
    {FaultKind::swapped_shard, false, FaultExtent::all, "two halves changed over"},
    {FaultKind::dropped_reduction, false, FaultExtent::all, "a gradient that was not reduced over ranks"},
    {FaultKind::bit_flip, false, FaultExtent::element, "one bit of one element"},
}};

constexpr std::string_view example =
    "{\"kind\": \"scale\", \"steps\": [3], \"phase\": \"grad\", \"name\": \"layers.0.*\", \"size\": 1e-6}";

[[noreturn]] void refuse_fault(const std::string& problem) {
  throw UserError(fmt::format("invalid fault in the capture: {}; write for example {}", problem, example));
}

int64_t count_at(const Json& value, const std::string& key) {
  if (!value.is_number_integer() || value < 0)
    refuse_fault(key + " is not an integer of 0 or more");
  return value.get<int64_t>();
}

std::string string_at(const Json& value, const std::string& key) {
  if (!value.is_string())
    refuse_fault(key + " is not a string");
  return value.get<std::string>();
}

void read_member(Fault& fault, const std::string& key, const Json& value) {
  if (key == "kind")
    fault.kind = parse_enum<FaultKind>(string_at(value, key));
  else if (key == "phase")
    fault.phase = parse_enum<Phase>(string_at(value, key));
  else if (key == "name")
    fault.name = string_at(value, key);
  else if (key == "seed")
    fault.seed =
        value.is_number_unsigned() ? value.get<uint64_t>() : static_cast<uint64_t>(count_at(value, key));
  else if (key == "rank")
    fault.rank = count_at(value, key);
  else if (key == "element")
    fault.element = count_at(value, key);
  else if (key == "row")
    fault.row = count_at(value, key);
  else if (key == "bit")
    fault.bit = count_at(value, key);
  else if (key == "steps") {
    if (!value.is_array())
      refuse_fault("steps is not a list of step numbers");
    for (const Json& step : value)
      fault.steps.push_back(count_at(step, key));
  } else if (key == "size") {
    if (!value.is_number())
      refuse_fault("size is not a number");
    fault.size = value.get<double>();
  } else {
    refuse_fault(
        "unknown key " + parity::quoted(key) +
        suggestion(key, {"kind", "steps", "phase", "name", "size", "seed", "rank", "element", "row", "bit"}));
  }
}

void check(const Fault& fault) {
  const FaultKindRow& row = row_of(fault.kind);
  const std::string kind(name_of(fault.kind));
  if (row.sized && !(std::isfinite(fault.size) && fault.size != 0))
    refuse_fault(fmt::format("{} needs a finite, nonzero size", kind));
  if (!row.sized && fault.size != 0)
    refuse_fault(fmt::format("{} takes no size", kind));
  const bool narrowed = fault.element || fault.row;
  if (narrowed && (row.extent == FaultExtent::all || (fault.element && fault.row)))
    refuse_fault(fmt::format(
        "{} takes {}", kind,
        row.extent == FaultExtent::all ? "no element and no row" : "an element or a row, not both"));
  if ((row.extent == FaultExtent::element && fault.row) || (row.extent == FaultExtent::row && fault.element))
    refuse_fault(row.extent == FaultExtent::row
                     ? fmt::format("{} changes a row, so it takes no element", kind)
                     : fmt::format("{} changes an element, so it takes no row", kind));
  if (fault.bit && (fault.kind != FaultKind::bit_flip || *fault.bit > 63))
    refuse_fault("bit belongs to bit_flip and is at most 63");
  if (fault.kind == FaultKind::dropped_reduction && fault.phase != Phase::grad)
    refuse_fault("dropped_reduction needs phase grad, in which gradients are reduced");
}

}  // namespace

std::span<const FaultKindRow> fault_kinds() {
  return table;
}

const FaultKindRow& row_of(FaultKind kind) {
  return table.at(static_cast<size_t>(kind));
}

bool Fault::at_step(int64_t step) const {
  return steps.empty() || std::find(steps.begin(), steps.end(), step) != steps.end();
}

bool Fault::covers(int64_t step, Phase at_phase, std::string_view tensor) const {
  return at_phase == phase && at_step(step) && glob_match(name, tensor);
}

std::string Fault::text() const {
  std::string text(name_of(kind));
  if (row_of(kind).sized)
    text += fmt::format(" by {}", size);
  text += fmt::format(" of {} {}", name_of(phase), name);
  if (element)
    text += fmt::format(", element {},", *element);
  if (row)
    text += fmt::format(", row {},", *row);
  if (bit)
    text += fmt::format("{} bit {},", element ? "" : ",", *bit);
  text += steps.empty() ? " at every step"
                        : fmt::format(" at step{} {}", steps.size() == 1 ? "" : "s", fmt::join(steps, ", "));
  return rank ? text + fmt::format(", on rank {}", *rank) : text;
}

Json Fault::to_json() const {
  Json json = {{"kind", name_of(kind)}, {"steps", steps}, {"phase", name_of(phase)}, {"name", name}};
  if (row_of(kind).sized)
    json["size"] = size;
  if (seed != 0)
    json["seed"] = seed;
  const auto add = [&](const char* key, const std::optional<int64_t>& value) {
    if (value)
      json[key] = *value;
  };
  add("rank", rank);
  add("element", element);
  add("row", row);
  add("bit", bit);
  return json;
}

Fault Fault::from_json(const Json& json) {
  if (!json.is_object())
    refuse_fault("it is not an object");
  for (const char* key : {"kind", "phase", "name"})
    if (!json.contains(key))
      refuse_fault(fmt::format("it has no {}", key));
  Fault fault;
  for (const auto& [key, value] : json.items())
    read_member(fault, key, value);
  check(fault);
  return fault;
}

Json to_json(const std::vector<Fault>& faults) {
  Json list = Json::array();
  for (const Fault& fault : faults)
    list.push_back(fault.to_json());
  return list;
}

std::vector<Fault> faults_from_json(const Json& json) {
  if (!json.is_array())
    refuse_fault("faults is not a list");
  std::vector<Fault> faults;
  for (const Json& fault : json)
    faults.push_back(Fault::from_json(fault));
  return faults;
}

Json FaultReport::to_json() const {
  return {{"fault", fault.to_json()},
          {"tensors", tensors},
          {"elements", elements},
          {"changed", changed},
          {"first", first}};
}

Json to_json(const std::vector<FaultReport>& reports) {
  Json list = Json::array();
  for (const FaultReport& report : reports)
    list.push_back(report.to_json());
  return list;
}

std::vector<FaultReport> fault_reports_from_json(const Json& json) {
  const auto refuse_report = [] {
    throw UserError(
        "cannot read the faults of a trace (expected a list of {\"fault\", \"tensors\", \"elements\", "
        "\"changed\", \"first\"}); run again");
  };
  if (!json.is_array())
    refuse_report();
  std::vector<FaultReport> reports;
  for (const Json& item : json) {
    if (!item.is_object() || !item.contains("fault") || !item.contains("first") ||
        !(item["first"].is_object() || item["first"].is_null()))
      refuse_report();
    FaultReport report{Fault::from_json(item["fault"]), 0, 0, 0, item["first"]};
    for (const auto& [key, count] :
         {std::pair("tensors", &report.tensors), std::pair("elements", &report.elements),
          std::pair("changed", &report.changed)}) {
      if (!item.contains(key) || !item[key].is_number_integer() || item[key] < 0)
        refuse_report();
      *count = item[key].get<int64_t>();
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

void add(std::vector<FaultReport>& reports, const std::vector<FaultReport>& others) {
  if (reports.empty()) {
    reports = others;
    return;
  }
  for (size_t i = 0; i < reports.size() && i < others.size(); ++i) {
    if (!(reports[i].fault == others[i].fault))
      throw UserError(
          fmt::format("cannot join the faults of a run's traces ({} and {} differ); give every rank and leg "
                      "of a run the same capture",
                      reports[i].fault.text(), others[i].fault.text()));
    reports[i].tensors += others[i].tensors;
    reports[i].elements += others[i].elements;
    reports[i].changed += others[i].changed;
    if (reports[i].first.is_null())
      reports[i].first = others[i].first;
  }
}

}  // namespace parity::trace
