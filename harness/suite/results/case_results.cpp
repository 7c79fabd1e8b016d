// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_results.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/base/json/number.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/operators/problem/reproducer.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"
#include "harness/suite/results/case_sentence.hpp"
#include "harness/suite/results/case_times.hpp"
#include "harness/suite/results/check_parameters.hpp"
#include "harness/suite/results/commands/bisect.hpp"
#include "harness/suite/results/commands/follow_up.hpp"
#include "harness/suite/results/commands/reproduce.hpp"
#include "harness/suite/results/notes.hpp"
#include "harness/suite/results/orders.hpp"
#include "harness/suite/results/pictures/curves.hpp"
#include "harness/suite/results/pictures/masks.hpp"
#include "harness/suite/results/pictures/tensors.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

std::optional<double> median_of_channel(const trace::Trace* trace, const std::string& name) {
  if (!trace || !trace->channels().contains(name))
    return std::nullopt;
  std::vector<double> values = trace->channels().at(name).as_double();
  if (values.empty())
    return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

results::ArmFailure failure_of(const RunFailure& failure) {
  return {.kind = failure.kind, .message = failure.message, .step = {}, .phase = {}, .tensor = {}};
}

/// Returns the failure of a run: the trainer's own message from the trace if it has one, else the harness's.
results::ArmFailure failure_of(const RunResult& run, const trace::Trace* trace) {
  results::ArmFailure failure = failure_of(*run.failure);
  const std::optional<Json> own = trace ? trace->failure() : std::nullopt;
  if (!own || !own->is_object() || failure.kind != results::FailureKind::crashed)
    return failure;
  failure.message = text_or(*own, "message", failure.message);
  failure.phase = text_or(*own, "phase");
  failure.tensor = text_or(*own, "tensor");
  if (own->contains("step") && own->at("step").is_number_integer())
    failure.step = own->at("step").get<int64_t>();
  if (own->value("kind", Json()) == name_of(results::FailureKind::non_finite))
    failure.kind = results::FailureKind::non_finite;
  return failure;
}

results::Arm arm_result(const PlannedArm& arm, const Evidence& evidence,
                        const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const RunResult& run = runs.at(arm.run);
  const trace::Trace* trace = evidence.trace(arm.name);
  results::Arm result;
  result.name = arm.name;
  result.run = arm.run;
  result.twin = arm.twin;
  result.trace = (run.folder / "trace.h5").lexically_relative(out).generic_string();
  result.cached = run.cached;
  result.ranks = arm.ranks;
  result.seconds = run.seconds;
  result.steps = trace ? static_cast<int64_t>(trace->steps().size()) : 0;
  result.tokens_per_second = median_of_channel(trace, "tokens_per_second");
  result.config = nest(arm.config);
  if (trace)
    result.provenance = finite_json(trace->provenance());
  result.stderr_tail = run.stderr_tail;
  if (!run.complete()) {
    result.failure = failure_of(run, trace);
  } else if (!arm.twin.empty() && !runs.at(arm.twin).complete()) {
    result.failure = failure_of(runs.at(arm.twin), nullptr);
    result.stderr_tail = runs.at(arm.twin).stderr_tail;
  }
  for (const std::string& id : {arm.run, arm.twin})
    if (const std::string problem = evidence.problem(id); !problem.empty())
      result.failure = failure_of(RunFailure{results::FailureKind::bad_trace, problem});
  if (result.failure)
    result.status = results::ArmStatus::failed;
  return result;
}

std::vector<results::ConfigDifference> config_difference(const PlannedCase& planned) {
  std::set<std::string> keys;
  std::map<std::string, FlatConfig> settings;
  for (const PlannedArm& arm : planned.arms)
    for (const auto& entry : settings[arm.name] = with_surroundings(arm.config, planned.source.arm(arm.name)))
      keys.insert(entry.first);
  std::vector<results::ConfigDifference> differences;
  for (const std::string& key : keys) {
    results::ConfigDifference difference{key, {}};
    std::set<std::string> distinct;
    for (const PlannedArm& arm : planned.arms) {
      const FlatConfig& own = settings.at(arm.name);
      const auto found = own.find(key);
      difference.values.emplace_back(arm.name, found == own.end() ? Json() : found->second);
      distinct.insert(difference.values.back().second.dump());
    }
    if (distinct.size() > 1)
      differences.push_back(std::move(difference));
  }
  return differences;
}

Json value_of_arm(const results::ConfigDifference& difference, const std::string& arm) {
  for (const auto& [name, value] : difference.values)
    if (name == arm)
      return value;
  return nullptr;
}

/// Returns the config keys that differ between the two arms of a failed claim; "" if there are many.
std::string describe_cause(const std::vector<JudgedCheck>& judged,
                           const std::vector<results::ConfigDifference>& differing) {
  constexpr size_t most_keys = 3;
  const auto first =
      std::find_if(judged.begin(), judged.end(), [](const JudgedCheck& j) { return !j.result.passed; });
  const bool of_pair = first != judged.end() && first->kind == results::CheckKind::pair &&
                       first->claim.arms.size() == 2 &&
                       (first->result.verdict == compare::Verdict::different ||
                        first->result.verdict == compare::Verdict::imprecise ||
                        first->result.verdict == compare::Verdict::rounding);
  if (!of_pair)
    return "";
  std::vector<std::string> keys;
  for (const results::ConfigDifference& difference : differing) {
    const Json one = value_of_arm(difference, first->claim.arms[0]);
    const Json other = value_of_arm(difference, first->claim.arms[1]);
    if (one != other)  // the key may differ in another arm only
      keys.push_back(fmt::format("{}: {} against {}", difference.key, one.dump(), other.dump()));
  }
  return keys.empty() || keys.size() > most_keys
             ? ""
             : fmt::format("; the arms differ in {}", fmt::join(keys, ", "));
}

/// Returns what a check found, with the commands that continue from there.
results::Finding finding_of(const PlannedCase& planned, const JudgedCheck& judged,
                            const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const compare::CheckResult& result = judged.result;
  results::Finding finding;
  if (const auto& worst = result.worst) {
    finding.where = results::Place{worst->step, worst->quantity, worst->index, worst->rank, worst->point};
    finding.expected = worst->expected ? json_number(*worst->expected) : Json();
    finding.actual = worst->actual ? json_number(*worst->actual) : Json();
    finding.metric = worst->metric;
    finding.value = json_number(worst->value);
    finding.limit = json_number(worst->limit);
  }
  finding.distance = results::distance_of(finite_json(result.measured));
  finding.looks_like = result.looks_like;
  finding.more = result.more;
  finding.next = follow_up_command(planned, judged, runs, out);
  finding.cause = bisect_command(planned, judged, runs, out);
  return finding;
}

/// Returns the origin of float64 evidence; nothing if the verdict does not use any.
std::optional<results::CheckEvidence> evidence_of(const JudgedCheck& judged) {
  if (!judged.result.twins)
    return std::nullopt;
  results::CheckEvidence evidence;
  if (!judged.stored)
    return evidence;
  evidence.source = results::CheckEvidence::Source::stored;
  evidence.date = judged.stored->date;
  evidence.producer = judged.stored->producer;
  evidence.commit = judged.stored->commit;
  evidence.environment = judged.stored->environment;
  evidence.runs = judged.stored->runs;
  return evidence;
}

/// Returns what was asked, found and compared. Thousands of stored quantities that agree get only a text.
results::Coverage coverage_of(const JudgedCheck& judged) {
  const compare::Coverage& coverage = judged.result.coverage;
  if (coverage.sides.empty())
    return {};
  results::Coverage summary = coverage.summary();
  if (judged.kind == results::CheckKind::golden && judged.result.passed)
    summary.sides.clear();
  return summary;
}

std::vector<results::TensorRow> finite_rows(std::vector<results::TensorRow> rows) {
  for (results::TensorRow& row : rows)
    row.measured = finite_json(row.measured);
  return rows;
}

/// Keeps the input at which a check of an operator case failed worst. \return its file, relative to `out`
std::string keep_worst_input(const Case& source, const compare::WorstPlace& worst, size_t index,
                             const fs::path& out) {
  std::string name = fmt::format("{}-{}.h5", source.name, index + 1);
  std::ranges::replace(name, '/', '-');
  const operators::Point& point = source.problem->points.at(static_cast<size_t>(worst.step - 1));
  operators::write_reproducer(out / "reproducers" / name, *source.problem, point,
                              operators::values_at(*source.problem, point));
  return "reproducers/" + name;
}

results::Check check_result(const PlannedCase& planned, const JudgedCheck& judged, size_t index,
                            const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const compare::CheckResult& result = judged.result;
  const Case& source = planned.source;
  results::Check check;
  check.id = fmt::format("{}:{}", source.name, index + 1);
  check.kind = judged.kind;
  check.quantity = judged.quantity;
  check.arms = judged.claim.arms;
  check.against = judged.kind == results::CheckKind::golden ? "golden" : "arm";
  check.relation = name_of(judged.claim.relation);
  check.parameters = parameters_of(judged.claim);
  check.steps = describe_window(judged.claim.steps);
  check.because = judged.claim.because;
  check.passed = result.passed;
  check.verdict = name_of(result.verdict);
  check.sentence = result.sentence;
  check.measured = finite_json(result.measured);
  check.limit = result.limit.is_null() ? Json::object() : finite_json(result.limit);
  check.finding = finding_of(planned, judged, runs, out);
  check.tensors = finite_rows(result.tensors);
  check.bounds = result.bounds;
  check.errors = result.errors;
  if (result.errors)
    check.picture = result.errors->picture;
  if (result.errors && !result.passed && result.worst)
    check.errors->reproducer = keep_worst_input(source, *result.worst, index, out);
  check.evidence = evidence_of(judged);
  check.coverage = coverage_of(judged);
  check.line = index < source.check_places.size() ? source.check_places[index].line : 0;
  return check;
}

double seconds_of(const PlannedCase& planned, const std::map<std::string, RunResult>& runs) {
  double seconds = 0;
  for (const std::string& id : runs_of(planned))
    seconds += runs.at(id).seconds;
  return seconds;
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
void skip(results::Case& item, const std::string& reason) {
  item.skipped = reason;
  item.verdict = "skipped";
  item.sentence = "skipped: " + reason;
  for (results::Arm& arm : item.arms)
    if (arm.status != results::ArmStatus::complete)
      arm.status = results::ArmStatus::skipped;
}

}  // namespace

std::string skip_reason(const PlannedCase& planned, const std::map<std::string, RunResult>& runs) {
  std::string reason;
  for (const PlannedArm& arm : planned.arms)
    for (const std::string& id : {arm.run, arm.twin}) {
      if (id.empty() || runs.at(id).complete())
        continue;
      const results::FailureKind kind = runs.at(id).failure->kind;
      if (kind != results::FailureKind::no_device && kind != results::FailureKind::no_environment)
        return "";
      if (reason.empty())
        reason = "arm " + arm.name + ": " + runs.at(id).failure->message;
    }
  return reason;
}

results::Case case_results(const PlannedCase& planned, const Evidence& evidence,
                           std::vector<JudgedCheck> judged, const golden::GoldenContent& golden,
                           const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const Case& source = planned.source;
  const std::vector<std::string> unproved = take_unproved(judged);
  const compare::Verdict verdict = verdict_of(judged);
  results::Case item;
  item.name = source.name;
  item.file = source.file.generic_string();
  item.title = source.title;
  item.question = source.question;
  item.source = source.source;
  item.tags = source.tags;
  item.reference = source.reference;
  for (const PlannedArm& arm : planned.arms)
    item.arms.push_back(arm_result(arm, evidence, runs, out));
  for (size_t i = 0; i < judged.size(); ++i)
    item.checks.push_back(check_result(planned, judged[i], i, runs, out));
  add_orders(item, judged, planned, evidence, out);
  for (auto& [number, picture] : tensor_pictures(judged, evidence, golden))
    item.checks[number].picture = std::move(picture);
  item.passed = item.checks_failed() == 0 && std::ranges::none_of(item.arms, &results::Arm::failed);
  item.verdict = name_of(verdict);
  item.config_difference = config_difference(planned);
  item.sentence =
      sentence_of(source, judged, verdict, item.arms) + describe_cause(judged, item.config_difference);
  item.seconds = seconds_of(planned, runs);
  item.notes = all_notes(source, evidence);
  item.notes.insert(item.notes.end(), unproved.begin(), unproved.end());
  if (!source.problem)  // points of a sweep are no curve
    item.curves = curves_of(source, evidence, golden);
  item.masks = masks_of(source, evidence);
  item.settings = source.settings;
  item.reproduce = shell_quote(reproduce_command(source, out));
  if (const std::string reason = skip_reason(planned, runs); !reason.empty())
    skip(item, reason);
  return item;
}

}  // namespace parity::suite
