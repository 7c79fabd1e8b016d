// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_results.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/results/bisect_command.hpp"
#include "harness/suite/results/case_sentence.hpp"
#include "harness/suite/results/case_times.hpp"
#include "harness/suite/results/curves.hpp"
#include "harness/suite/results/follow_up_command.hpp"
#include "harness/suite/results/mask_pictures.hpp"
#include "harness/suite/results/notes.hpp"
#include "harness/suite/results/reproduce_command.hpp"
#include "harness/suite/results/tensor_pictures.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

Json median_of_channel(const Trace* trace, const std::string& name) {
  if (!trace || !trace->channels().contains(name))
    return nullptr;
  std::vector<double> values = trace->channels().at(name).as_double();
  if (values.empty())
    return nullptr;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return json_number(*middle);
}

/// Returns the failure of a run: the trainer's own message from the trace if it has one, else the harness's.
Json failure_of(const RunResult& run, const Trace* trace) {
  if (!run.failure)
    return nullptr;
  Json failure = run.failure->to_json();
  const std::optional<Json> own = trace ? trace->failure() : std::nullopt;
  if (!own || !own->is_object() || run.failure->kind != FailureKind::crashed)
    return failure;
  for (const char* key : {"message", "phase", "tensor"})
    if (own->contains(key) && own->at(key).is_string())
      failure[key] = own->at(key);
  if (own->contains("step") && own->at("step").is_number_integer())
    failure["step"] = own->at("step");
  if (own->value("kind", Json()) == name_of(FailureKind::non_finite))
    failure["kind"] = name_of(FailureKind::non_finite);
  return failure;
}

Json arm_json(const PlannedArm& arm, const Evidence& evidence, const std::map<std::string, RunResult>& runs,
              const fs::path& out) {
  const RunResult& run = runs.at(arm.run);
  const Trace* trace = evidence.trace(arm.name);
  Json json = {{"name", arm.name},
               {"run", arm.run},
               {"trace", (run.folder / "trace.h5").lexically_relative(out).generic_string()},
               {"cached", run.cached},
               {"ranks", arm.ranks},
               {"seconds", run.seconds},
               {"steps", trace ? static_cast<int64_t>(trace->steps().size()) : 0},
               {"tokens_per_second", median_of_channel(trace, "tokens_per_second")},
               {"config", nest(arm.config)},
               {"provenance", trace ? finite_json(trace->provenance()) : Json::object()},
               {"status", run.complete() ? "complete" : "failed"},
               {"failure", failure_of(run, trace)},
               {"stderr_tail", run.stderr_tail},
               {"twin", arm.twin.empty() ? Json() : Json(arm.twin)}};
  if (run.complete() && !arm.twin.empty() && !runs.at(arm.twin).complete()) {
    json["status"] = "failed";
    json["failure"] = failure_of(runs.at(arm.twin), nullptr);
    json["stderr_tail"] = runs.at(arm.twin).stderr_tail;
  }
  for (const std::string& id : {arm.run, arm.twin})
    if (const std::string problem = evidence.problem(id); !problem.empty()) {
      json["status"] = "failed";
      json["failure"] = RunFailure{FailureKind::bad_trace, problem}.to_json();
    }
  return json;
}

Json config_difference(const PlannedCase& planned) {
  std::set<std::string> keys;
  for (const PlannedArm& arm : planned.arms)
    for (const auto& [key, value] : arm.config)
      keys.insert(key);
  Json differences = Json::array();
  for (const std::string& key : keys) {
    Json values = Json::object();
    std::set<std::string> distinct;
    for (const PlannedArm& arm : planned.arms) {
      const auto found = arm.config.find(key);
      values[arm.name] = found == arm.config.end() ? Json() : found->second;
      distinct.insert(values[arm.name].dump());
    }
    if (distinct.size() > 1)
      differences.push_back({{"key", key}, {"values", values}});
  }
  return differences;
}

/// Returns the config keys that differ between the two arms of a failed claim; "" if there are many.
std::string describe_cause(const std::vector<JudgedCheck>& judged, const Json& differing) {
  constexpr size_t most_keys = 3;
  const auto first =
      std::find_if(judged.begin(), judged.end(), [](const JudgedCheck& j) { return !j.result.passed; });
  const bool of_pair =
      first != judged.end() && first->kind == CheckKind::pair && first->claim.arms.size() == 2 &&
      (first->result.verdict == Verdict::different || first->result.verdict == Verdict::imprecise ||
       first->result.verdict == Verdict::rounding);
  if (!of_pair)
    return "";
  std::vector<std::string> keys;
  for (const Json& key : differing) {
    const Json& one = key.at("values").at(first->claim.arms[0]);
    const Json& other = key.at("values").at(first->claim.arms[1]);
    if (one != other)  // the key may differ in another arm only
      keys.push_back(
          fmt::format("{}: {} against {}", key.at("key").get<std::string>(), one.dump(), other.dump()));
  }
  return keys.empty() || keys.size() > most_keys
             ? ""
             : fmt::format("; the arms differ in {}", fmt::join(keys, ", "));
}

Json worst_json(const WorstPlace& worst) {
  return {{"step", worst.step},
          {"tensor", worst.quantity},
          {"index", worst.index},
          {"expected", worst.expected ? json_number(*worst.expected) : Json()},
          {"actual", worst.actual ? json_number(*worst.actual) : Json()},
          {"metric", worst.metric},
          {"value", json_number(worst.value)},
          {"limit", json_number(worst.limit)}};
}

/// Returns the origin of float64 evidence; null if the verdict does not use any.
Json evidence_json(const JudgedCheck& judged) {
  if (!judged.result.twins)
    return nullptr;
  if (!judged.stored)
    return {{"source", "measured"}};
  return {{"source", "stored"},
          {"date", judged.stored->date},
          {"producer", judged.stored->producer},
          {"commit", judged.stored->commit},
          {"environment", judged.stored->environment},
          {"runs", judged.stored->runs}};
}

/// Returns what was checked, found and compared. Thousands of stored quantities that agree get only a
/// sentence.
Json coverage_json(const JudgedCheck& judged) {
  const Coverage& coverage = judged.result.coverage;
  if (coverage.sides.empty())
    return nullptr;
  if (judged.kind == CheckKind::golden && judged.result.passed)
    return {{"text", coverage.text()}};
  return coverage.to_json();
}

Json check_json(const PlannedCase& planned, const JudgedCheck& judged, size_t number,
                const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const CheckResult& result = judged.result;
  Json parameters = Json::object();
  if (judged.claim.relation == Relation::lagged)
    parameters["lag"] = judged.claim.lag;
  if (judged.claim.tolerance)
    parameters["tolerance"] = *judged.claim.tolerance;
  if (judged.claim.precision)
    parameters["precision"] = name_of(*judged.claim.precision);
  if (judged.claim.imprecision)
    parameters["imprecision"] = *judged.claim.imprecision;
  if (judged.claim.sibling)
    parameters["times"] = judged.claim.sibling->times;
  return {{"id", fmt::format("{}:{}", planned.source.name, number)},
          {"kind", name_of(judged.kind)},
          {"quantity", judged.quantity},
          {"arms", judged.claim.arms},
          {"against", judged.kind == CheckKind::golden ? "golden" : "arm"},
          {"relation", name_of(judged.claim.relation)},
          {"parameters", parameters},
          {"steps", describe_window(judged.claim.steps)},
          {"because", judged.claim.because},
          {"passed", result.passed},
          {"verdict", name_of(result.verdict)},
          {"sentence", result.sentence},
          {"measured", finite_json(result.measured)},
          {"limit", finite_json(result.limit)},
          {"worst", result.worst ? worst_json(*result.worst) : Json()},
          {"tensors", finite_json(result.tensors)},
          {"bounds", result.bounds},
          {"coverage", coverage_json(judged)},
          {"evidence", evidence_json(judged)},
          {"command", follow_up_command(planned, judged, runs, out)},
          {"cause", bisect_command(planned, judged, runs, out)}};
}

double seconds_of(const PlannedCase& planned, const std::map<std::string, RunResult>& runs) {
  double seconds = 0;
  for (const std::string& id : runs_of(planned))
    seconds += runs.at(id).seconds;
  return seconds;
}

/// Returns the line of a check in the case file; null for checks that are not in the file.
Json line_of(const Case& source, size_t number) {
  return number < source.check_places.size() ? Json(source.check_places[number].line) : Json();
}

/// Returns the member `notes`: findings in the traces, and whether settings changed the case.
std::vector<std::string> all_notes(const Case& source, const Evidence& evidence) {
  std::vector<std::string> notes = notes_on(source, evidence);
  if (!source.settings.empty())
    notes.insert(notes.begin(), fmt::format("changed by --set {}: not the case of its file, and no golden "
                                            "is compared or recorded",
                                            fmt::join(source.settings, ", --set ")));
  return notes;
}

/// Marks a case as skipped, without a verdict.
void skip(Json& item, const std::string& reason) {
  item["skipped"] = reason;
  item["verdict"] = "skipped";
  item["sentence"] = "skipped: " + reason;
  for (Json& arm : item["arms"])
    if (arm["status"] != "complete")
      arm["status"] = "skipped";
}

}  // namespace

std::string skip_reason(const PlannedCase& planned, const std::map<std::string, RunResult>& runs) {
  std::string reason;
  for (const PlannedArm& arm : planned.arms)
    for (const std::string& id : {arm.run, arm.twin}) {
      if (id.empty() || runs.at(id).complete())
        continue;
      if (runs.at(id).failure->kind != FailureKind::no_device)
        return "";
      if (reason.empty())
        reason = "arm " + arm.name + ": " + runs.at(id).failure->message;
    }
  return reason;
}

Json case_results(const PlannedCase& planned, const Evidence& evidence,
                  const std::vector<JudgedCheck>& judged, const GoldenContent& golden,
                  const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const Case& source = planned.source;
  Json arms = Json::array();
  for (const PlannedArm& arm : planned.arms)
    arms.push_back(arm_json(arm, evidence, runs, out));
  Json checks = Json::array();
  for (size_t i = 0; i < judged.size(); ++i)
    checks.push_back(check_json(planned, judged[i], i + 1, runs, out));
  for (size_t i = 0; i < judged.size(); ++i)
    checks[i]["line"] = line_of(source, i);
  for (auto& [number, picture] : tensor_pictures(judged, evidence, golden))
    checks[number]["picture"] = std::move(picture);
  const Verdict verdict = verdict_of(judged);
  const Json differing = config_difference(planned);
  const bool passed =
      std::all_of(judged.begin(), judged.end(), [](const auto& j) { return j.result.passed; }) &&
      std::all_of(arms.begin(), arms.end(), [](const Json& arm) { return arm["status"] == "complete"; });
  Json item = {{"name", source.name},
               {"file", source.file.generic_string()},
               {"title", source.title},
               {"question", source.question},
               {"source", source.source},
               {"tags", source.tags},
               {"reference", source.reference},
               {"passed", passed},
               {"verdict", name_of(verdict)},
               {"sentence", sentence_of(source, judged, verdict, arms) + describe_cause(judged, differing)},
               {"seconds", seconds_of(planned, runs)},
               {"notes", all_notes(source, evidence)},
               {"arms", arms},
               {"config_difference", differing},
               {"curves", curves_of(source, evidence, golden)},
               {"masks", masks_of(source, evidence)},
               {"checks", checks},
               {"settings", source.settings},
               {"reproduce", shell_quote(reproduce_command(source, out))}};
  if (const std::string reason = skip_reason(planned, runs); !reason.empty())
    skip(item, reason);
  return item;
}

}  // namespace parity
