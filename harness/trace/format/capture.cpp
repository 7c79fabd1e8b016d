// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/capture.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"

namespace parity::trace {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Returns whether `wide` contains all of `narrow`; an empty list means everything.
template <class T>
bool covers_list(const std::vector<T>& wide, const std::vector<T>& narrow) {
  if (wide.empty())
    return true;
  return !narrow.empty() &&
         std::all_of(narrow.begin(), narrow.end(), [&](const T& value) { return contains(wide, value); });
}

bool covers_rule(const CaptureRule& wide, const CaptureRule& narrow) {
  return covers_list(wide.steps, narrow.steps) && covers_list(wide.phases, narrow.phases) &&
         (contains(wide.names, std::string("*")) || covers_list(wide.names, narrow.names));
}

bool any_covers(const std::vector<CaptureRule>& rules, const CaptureRule& rule) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const CaptureRule& other) { return covers_rule(other, rule); });
}

bool any_covers(const std::vector<CaptureRule>& rules, int64_t step, Phase phase, std::string_view name) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const CaptureRule& rule) { return rule.covers(step, phase, name); });
}

void merge_rules(std::vector<CaptureRule>& rules, const std::vector<CaptureRule>& others) {
  for (const CaptureRule& rule : others)
    if (!any_covers(rules, rule))
      rules.push_back(rule);
}

Json rules_to_json(const std::vector<CaptureRule>& rules) {
  Json list = Json::array();
  for (const CaptureRule& rule : rules) {
    Json phases = Json::array();
    for (const Phase phase : rule.phases)
      phases.push_back(name_of(phase));
    list.push_back({{"steps", rule.steps}, {"phases", phases}, {"names", rule.names}});
  }
  return list;
}

[[noreturn]] void refuse_capture(const std::string& what, const std::string& expected) {
  throw UserError(
      fmt::format("cannot use the capture ({} is not {}); write {{\"tensors\": [...], \"sketches\": [...], "
                  "\"replay\": false, \"faults\": [...]}}",
                  what, expected));
}

const Json& list_of(const Json& value, const std::string& key) {
  if (!value.is_array())
    refuse_capture(key, "a list");
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): callers hold the document
}

CaptureRule rule_from_json(const Json& json, const std::string& where) {
  if (!json.is_object())
    refuse_capture(where, "an object");
  CaptureRule rule;
  for (const auto& [key, value] : json.items()) {
    const std::string at = where + "." + key;
    if (key == "steps") {
      for (const Json& step : list_of(value, at)) {
        if (!step.is_number_integer() || step.get<int64_t>() < 0)
          refuse_capture(at, "a list of step numbers");
        rule.steps.push_back(step.get<int64_t>());
      }
    } else if (key == "phases" || key == "names") {
      for (const Json& name : list_of(value, at)) {
        if (!name.is_string())
          refuse_capture(at, "a list of strings");
        if (key == "phases")
          rule.phases.push_back(parse_enum<Phase>(name.get<std::string>()));
        else
          rule.names.push_back(name.get<std::string>());
      }
    } else {
      throw UserError(fmt::format("unknown key '{}' in {} of the capture{}", key, where,
                                  suggestion(key, {"steps", "phases", "names"})));
    }
  }
  return rule;
}

}  // namespace

bool CaptureRule::covers(int64_t step, Phase phase, std::string_view name) const {
  if (!steps.empty() && !contains(steps, step))
    return false;
  if (!phases.empty() && !contains(phases, phase))
    return false;
  return names.empty() || std::any_of(names.begin(), names.end(),
                                      [&](const std::string& pattern) { return glob_match(pattern, name); });
}

bool Capture::wants_tensor(int64_t step, Phase phase, std::string_view name) const {
  return any_covers(tensors, step, phase, name);
}

bool Capture::wants_sketch(int64_t step, Phase phase, std::string_view name) const {
  return wants_tensor(step, phase, name) || any_covers(sketches, step, phase, name);
}

bool Capture::wants_operators(int64_t step) const {
  return std::any_of(operators.begin(), operators.end(), [&](const CaptureRule& rule) {
    return rule.steps.empty() || contains(rule.steps, step);
  });
}

bool Capture::wants_operators(int64_t step, Phase phase, std::string_view module) const {
  return any_covers(operators, step, phase, module);
}

void Capture::merge(const Capture& other) {
  merge_rules(tensors, other.tensors);
  merge_rules(sketches, other.sketches);
  merge_rules(operators, other.operators);
  replay = replay || other.replay;
  micro_batches = micro_batches || other.micro_batches;
  require(faults.empty() || other.faults.empty() || faults == other.faults,
          "captures with different faults are merged");
  if (faults.empty())
    faults = other.faults;
  if (teacher.empty())
    teacher = other.teacher;
}

bool Capture::includes(const Capture& other) const {
  const auto kept = [&](const CaptureRule& rule) { return any_covers(tensors, rule); };
  const auto observed = [&](const CaptureRule& rule) { return any_covers(operators, rule); };
  const auto sketched = [&](const CaptureRule& rule) { return kept(rule) || any_covers(sketches, rule); };
  return std::all_of(other.tensors.begin(), other.tensors.end(), kept) &&
         std::all_of(other.sketches.begin(), other.sketches.end(), sketched) &&
         std::all_of(other.operators.begin(), other.operators.end(), observed) && (replay || !other.replay) &&
         (micro_batches || !other.micro_batches) && faults == other.faults && teacher == other.teacher;
}

Json Capture::to_json() const {
  Json json = {
      {"tensors", rules_to_json(tensors)}, {"sketches", rules_to_json(sketches)}, {"replay", replay}};
  if (!operators.empty())
    json["operators"] = rules_to_json(operators);
  if (micro_batches)
    json["micro_batches"] = true;
  if (!faults.empty())
    json["faults"] = trace::to_json(faults);
  if (!teacher.empty())
    json["teacher"] = teacher;
  return json;
}

Capture Capture::from_json(const Json& json) {
  if (!json.is_object())
    refuse_capture("it", "a JSON object");
  Capture capture;
  for (const auto& [key, value] : json.items()) {
    if (key == "tensors" || key == "sketches" || key == "operators") {
      auto& rules = key == "tensors"    ? capture.tensors
                    : key == "sketches" ? capture.sketches
                                        : capture.operators;
      size_t i = 0;
      for (const Json& rule : list_of(value, key))
        rules.push_back(rule_from_json(rule, key + "[" + std::to_string(i++) + "]"));
    } else if (key == "replay" || key == "micro_batches") {
      if (!value.is_boolean())
        refuse_capture(key, "true or false");
      (key == "replay" ? capture.replay : capture.micro_batches) = value.get<bool>();
    } else if (key == "faults") {
      capture.faults = faults_from_json(value);
    } else if (key == "teacher") {
      if (!value.is_string())
        refuse_capture(key, "the path of a trace");
      capture.teacher = value.get<std::string>();
    } else {
      throw UserError(fmt::format("unknown key '{}' in the capture{}", key,
                                  suggestion(key, {"tensors", "sketches", "operators", "replay",
                                                   "micro_batches", "faults", "teacher"})));
    }
  }
  return capture;
}

}  // namespace parity::trace
