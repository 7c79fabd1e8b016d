// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/planned_run_json.hpp"

#include "harness/base/enum_names.hpp"

namespace parity::suite {
namespace {

RunSpan span_from_json(const Json& json) {
  RunSpan span;
  json.at("stop_after").get_to(span.stop_after);
  json.at("checkpoint_every").get_to(span.checkpoint_every);
  json.at("start_run").get_to(span.start_run);
  json.at("start_step").get_to(span.start_step);
  span.teacher_run = json.value("teacher_run", "");
  return span;
}

Json python_to_json(const PythonSpec& python) {
  return {{"interpreter", python.interpreter.string()}, {"make", python.make}, {"packages", python.packages}};
}

PythonSpec python_from_json(const Json& json) {
  return {json.at("interpreter").get<std::string>(), json.at("make").get<std::string>(),
          json.at("packages").get<std::vector<std::string>>()};
}

}  // namespace

Json to_json(const PlannedRun& run) {
  return {{"id", run.id},
          {"identity", run.identity},
          {"label", run.label},
          {"config", run.config},
          {"command", run.command},
          {"program", run.program.string()},
          {"environment", run.environment},
          {"python", python_to_json(run.python)},
          {"trace_of", run.trace_of},
          {"names", run.names},
          {"case_folder", run.case_folder.string()},
          {"profile", name_of(run.profile)},
          {"dtype", run.dtype},
          {"ranks", run.ranks},
          {"has_rank_variables", run.has_rank_variables},
          {"launch", run.launch.to_json()},
          {"threads", run.threads},
          {"steps", run.steps},
          {"span", run.span.to_json()},
          {"restart_after", run.restart_after},
          {"under", name_of(run.under)},
          {"repetition", run.repetition},
          {"elsewhere", run.elsewhere},
          {"timeout_seconds", run.timeout_seconds},
          {"cacheable", run.cacheable},
          {"is_operator", run.is_operator},
          {"capture", run.capture.to_json()}};
}

PlannedRun planned_run_from_json(const Json& json) {
  PlannedRun run;
  json.at("id").get_to(run.id);
  json.at("identity").get_to(run.identity);
  json.at("label").get_to(run.label);
  json.at("config").get_to(run.config);
  json.at("command").get_to(run.command);
  run.program = json.at("program").get<std::string>();
  json.at("environment").get_to(run.environment);
  run.python = python_from_json(json.at("python"));
  json.at("trace_of").get_to(run.trace_of);
  json.at("names").get_to(run.names);
  run.case_folder = json.at("case_folder").get<std::string>();
  run.profile = parse_enum<Profile>(json.at("profile").get<std::string>());
  json.at("dtype").get_to(run.dtype);
  json.at("ranks").get_to(run.ranks);
  json.at("has_rank_variables").get_to(run.has_rank_variables);
  run.launch = launch_from_json(json.at("launch"));
  json.at("threads").get_to(run.threads);
  json.at("steps").get_to(run.steps);
  run.span = span_from_json(json.at("span"));
  json.at("restart_after").get_to(run.restart_after);
  run.under = parse_enum<compare::Condition>(json.at("under").get<std::string>());
  json.at("repetition").get_to(run.repetition);
  json.at("elsewhere").get_to(run.elsewhere);
  json.at("timeout_seconds").get_to(run.timeout_seconds);
  json.at("cacheable").get_to(run.cacheable);
  json.at("is_operator").get_to(run.is_operator);
  run.capture = trace::Capture::from_json(json.at("capture"));
  return run;
}

}  // namespace parity::suite
