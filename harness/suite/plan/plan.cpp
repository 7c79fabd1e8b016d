// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/traces/collectives.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/suite/plan/capture_needs.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/identity/input_paths.hpp"
#include "harness/suite/plan/identity/run_identity.hpp"
#include "harness/suite/plan/launch_rules.hpp"
#include "harness/suite/plan/run_rules.hpp"
#include "harness/suite/plan/traces_read.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

std::string string_or(const FlatConfig& config, const std::string& key, const std::string& fallback) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_string() ? found->second.get<std::string>() : fallback;
}

/// Returns the length of a run. It is unknown for a command without the key `steps` or the word {steps}.
RunLength length_of(const FlatConfig& config, const Arm& arm) {
  const bool known =
      !arm.is_command() || config.contains("steps") || std::ranges::any_of(arm.command, [](const auto& word) {
        return word.find("{steps}") != std::string::npos;
      });
  return {integer_of(config, "steps", 10), integer_of(config, "lr.warmup_steps", 0), known};
}

/// Replaces {case_dir} in paths of files, so that a case may include files and run from any folder.
void expand_paths(FlatConfig& config, const Case& source) {
  const std::string folder = fs::absolute(source.file).parent_path().string();
  for (auto& [key, value] : config)
    if (names_file(key) || names_files(key))
      expand_case_dir(value, folder);
}

bool uses_trainer(const Case& source) {
  return std::any_of(source.arms.begin(), source.arms.end(),
                     [](const Arm& arm) { return !arm.is_command(); });
}

bool names_arm(const compare::Check& check, const Arm& arm) {
  const std::vector<std::string> named = check.all_arms();
  return std::find(named.begin(), named.end(), arm.asked_as()) != named.end();
}

bool in_golden(const Case& source, const std::string& arm) {
  return std::find(source.golden.arms.begin(), source.golden.arms.end(), arm) != source.golden.arms.end();
}

bool needs_twin(const PlannedCase& planned, const Arm& arm) {
  const Case& source = planned.source;
  return (planned.twins == Twins::checks_and_golden && in_golden(source, arm.name)) ||
         std::any_of(source.checks.begin(), source.checks.end(), [&](const compare::Check& check) {
           return check.needs_twins() && names_arm(check, arm);
         });
}

/// Returns what a check needs an arm to record. The ranks of parity-train record their collectives' checksums
/// where the check asks for repetitions.
trace::Capture check_capture(const compare::Check& check, const Arm& arm, const RunLength& length,
                             int ranks) {
  if (check.before == arm.asked_as())
    return needs_of_interrupted(length);
  trace::Capture needs = needs_of_check(check, length);
  if (check.relation == compare::Relation::repeats && ranks > 1 && !arm.is_command())
    for (const trace::CaptureRule& rule : needs.sketches)
      needs.operators.push_back({rule.steps, {}, {compare::collective_module}});
  return needs;
}

trace::Capture arm_capture(const Case& source, const Arm& arm, const RunLength& length, int ranks) {
  trace::Capture capture = needs_of_capture(source.capture);
  capture.merge(arm.capture);
  if (is_replayed(source, arm))
    capture.merge(needs_of_replay());
  if (in_golden(source, arm.asked_as()))
    capture.merge(needs_of_golden(length));
  if (ranks > 1)
    capture.merge(needs_of_replicas(length));
  for (const compare::Check& check : source.checks)
    if (names_arm(check, arm))
      capture.merge(check_capture(check, arm, length, ranks));
  return capture;
}

/// Returns the last update that a check reads of the exact twin of an arm; 0 if none does.
int64_t last_exact_update(const Case& source, const Arm& arm, const RunLength& length) {
  int64_t last = 0;
  for (const compare::Check& check : source.checks)
    if (check.of_exact_twins() && names_arm(check, arm))
      last = std::max(last, range_of(check.steps, length).last);
  return last;
}

/// Returns the update after which an exact twin restarts, of an arm that restarts later: the update before
/// the last that is read, so that what is proved includes the restart. 0: the arm does not restart, or too
/// few updates are read.
int64_t exact_restart(const FlatConfig& config, int64_t last) {
  const int64_t own = integer_of(config, "checkpoint.restart_after", 0);
  return own < last || last < 2 ? 0 : last - 1;
}

trace::Capture exact_capture(const Case& source, const Arm& arm, const RunLength& length) {
  trace::Capture capture;
  for (const compare::Check& check : source.checks)
    if (check.of_exact_twins() && names_arm(check, arm))
      capture.merge(needs_of_residues(check, length));
  return capture;
}

trace::Capture twin_capture(const Case& source, const Arm& arm, const RunLength& length) {
  trace::Capture capture;
  capture.replay = source.capture.replay;
  if (is_replayed(source, arm))
    capture.merge(needs_of_replay());
  for (const compare::Check& check : source.checks)
    if (check.needs_twins() && names_arm(check, arm))
      capture.merge(needs_of_check(check, length));
  return capture;
}

/// Returns whether variables name places that hold code. A run's identity does not follow what is there.
bool names_places(const std::map<std::string, std::string>& environment) {
  return std::ranges::any_of(environment, [](const auto& variable) {
    return variable.first == "PATH" || variable.first == "PYTHONPATH" || variable.first.starts_with("LD_");
  });
}

}  // namespace

const ConfigSchema& Plan::schema() {
  if (!schema_)
    schema_ = ConfigSchema::load(context_.schema_file);
  return *schema_;
}

const ConfigSchema* Plan::schema_of(const Case& source) {
  return uses_trainer(source) ? &schema() : nullptr;
}

FlatConfig Plan::config_of(const Case& source, const Arm& arm, bool with_schema) {
  FlatConfig config;
  const auto take = [&](const Overrides& overrides, bool strict) {
    for (const auto& [key, placed] : overrides) {
      const bool check = with_schema && (strict || schema().keys().contains(key));
      try {
        config[key] = check ? schema().checked(key, placed.value) : placed.value;
      } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", placed.place.text(), error.what()));
      }
    }
  };
  take(source.base, true);
  take(arm.config, !arm.is_command());  // a foreign trainer may have other options
  expand_paths(config, source);
  if (!with_schema)
    return config;
  FlatConfig full = schema().complete({});
  for (const auto& [key, value] : config)
    full[key] = value;
  return full;
}

void Plan::check_channels(const Case& source) {
  if (!uses_trainer(source) || schema().channels().empty())
    return;
  const std::vector<std::string>& known = schema().channels();
  for (size_t i = 0; i < source.checks.size(); ++i) {
    const compare::Check& check = source.checks[i];
    const bool of_trainer = std::all_of(check.arms.begin(), check.arms.end(), [&](const std::string& name) {
      return !source.arm(name).is_command();
    });
    for (const std::string& channel : check.channels)
      if (of_trainer && std::find(known.begin(), known.end(), channel) == known.end())
        throw UserError(fmt::format("{}: unknown channel {}{}", source.check_places[i].text(),
                                    parity::quoted(channel), suggestion(channel, known)));
  }
}

PlannedRun Plan::run_of(const PlannedCase& planned, const Arm& arm, Form form) {
  PlannedRun run;
  run.label = planned.source.name + ":" + arm.name;
  run.config = planned.arm(arm.name).config;
  const RunLength length = length_of(run.config, arm);
  if (form != Form::own) {
    const std::string dtype = form == Form::exact ? "exact" : "float64";
    run.label += ":" + dtype;
    run.config["dtype"] = dtype;
  }
  if (form == Form::exact)
    if (const int64_t update = exact_restart(run.config, last_exact_update(planned.source, arm, length)))
      run.config["checkpoint.restart_after"] = update;
  run.dtype = string_or(run.config, "dtype", "float32");
  run.command = arm.command;
  run.program = arm.program;
  run.environment = arm.environment;
  run.names = arm.names;
  // A case without the packages that it names is skipped, so its other programs do not start in vain.
  if (!planned.source.python.packages.empty() || !arm.launch.is_local() ||
      std::ranges::any_of(arm.command,
                          [](const std::string& word) { return word.find("{python}") != word.npos; }))
    run.python = planned.source.python;
  run.case_folder = fs::absolute(planned.source.file).parent_path();
  run.profile = arm.profile.value_or(planned.source.profile);
  run.ranks = arm.is_command() || !schema_ ? arm.ranks : static_cast<int>(schema_->ranks(run.config));
  run.has_rank_variables = !arm.is_command() || arm.is_operator || arm.states_ranks || !arm.launch.is_local();
  run.launch = launch_of(arm, run.ranks);
  run.threads = static_cast<int>(std::clamp<int64_t>(integer_of(run.config, "threads", 1), 1, 1024));
  run.steps = integer_of(run.config, "steps", 10);
  run.span = arm.is_command() ? RunSpan{} : arm.span;
  run.restart_after = arm.is_command() ? 0 : integer_of(run.config, "checkpoint.restart_after", 0);
  check_run(arm, run);
  run.timeout_seconds = planned.source.timeout_seconds;
  run.is_operator = arm.is_operator;
  run.cacheable = arm.is_command() ? !arm.inputs.empty() || arm.is_operator : !names_places(arm.environment);
  run.capture = form == Form::exact     ? exact_capture(planned.source, arm, length)
                : form == Form::float64 ? twin_capture(planned.source, arm, length)
                                        : arm_capture(planned.source, arm, length, run.ranks);
  if (form == Form::exact)
    run.span.stop_after = std::min(last_exact_update(planned.source, arm, length), run.steps);
  run.capture.faults = arm.faults;
  return run;
}

std::string Plan::keep(PlannedRun run) {
  run.id = content_hash(run.identity).substr(0, 16);
  const auto [place, is_new] = runs_.try_emplace(run.id, run);
  if (!is_new)
    place->second.capture.merge(run.capture);
  return place->first;
}

void Plan::ask_for(const std::string& id) {
  if (asked_.insert(id).second)
    order_.push_back(id);
}

/// Plans the twin of an arm, as a spare if the case's twins are spare.
/// \return id of the twin; "" if the arm cannot have one
std::string Plan::plan_twin(PlannedCase& planned, const std::string& name) {
  const Arm& arm = planned.source.arm(name);
  PlannedArm& place = planned.arm(name);
  if (const std::string& dtype = runs_.at(place.run).dtype;
      !arm.float64 || dtype == "float64" || dtype == "exact")
    return "";
  PlannedRun run = run_of(planned, arm, Form::float64);
  for (const std::string& other : arms_read_by(planned.source, arm))
    run.trace_of[other] = plan_twin(planned, other);
  run.identity = json_text(run_identity(context_, schema_of(planned.source), planned.source, arm, run));
  place.spare_twin = keep(std::move(run));
  if (planned.twins != Twins::spare)
    ask_for(place.twin = std::exchange(place.spare_twin, ""));
  return place.twin.empty() ? place.spare_twin : place.twin;
}

/// Plans the exact twin of an arm if a check needs it and the arm can have one.
void Plan::plan_exact_twin(PlannedCase& planned, const Arm& arm) {
  const bool wanted = std::ranges::any_of(planned.source.checks, [&](const compare::Check& check) {
    return check.of_exact_twins() && names_arm(check, arm);
  });
  if (!wanted || arm.is_command())
    return;
  PlannedRun run = run_of(planned, arm, Form::exact);
  run.identity = json_text(run_identity(context_, schema_of(planned.source), planned.source, arm, run));
  PlannedArm& place = planned.arm(arm.name);
  place.exact_updates = run.last_step();
  ask_for(place.exact = keep(std::move(run)));
}

void Plan::add(const Case& source, Twins twins) {
  const ConfigSchema* schema = schema_of(source);
  PlannedCase planned{source, {}, twins};
  for (const Arm& arm : source.arms) {
    const FlatConfig config = config_of(source, arm, schema != nullptr);
    planned.arms.push_back({arm.name, "", "", config, integer_of(config, "lr.warmup_steps", 0)});
  }
  check_channels(source);
  for (const bool reading : {false, true})  // arms that read the traces of others come last
    for (size_t i = 0; i < source.arms.size(); ++i) {
      const Arm& arm = source.arms[i];
      if (may_read_traces(source, arm) != reading)
        continue;
      PlannedRun run = run_of(planned, arm, Form::own);
      for (const std::string& other : arms_read_by(source, arm))
        run.trace_of[other] = planned.arm(other).run;
      const Json identity = run_identity(context_, schema, source, arm, run);
      run.identity = json_text(identity);
      planned.arms[i].ranks = run.ranks;
      planned.arms[i].resolved = resolved_digest(identity, schema);
      planned.arms[i].run = keep(std::move(run));
      ask_for(planned.arms[i].run);
    }
  for (const Arm& arm : source.arms) {
    if (needs_twin(planned, arm))
      plan_twin(planned, arm.name);
    plan_exact_twin(planned, arm);
  }
  cases_.push_back(std::move(planned));
}

std::vector<std::string> Plan::add_golden_twins(PlannedCase& planned) {
  const size_t before = order_.size();
  planned.twins = Twins::checks_and_golden;
  for (const std::string& arm : planned.source.golden.arms)
    plan_twin(planned, arm);
  return {order_.begin() + static_cast<std::ptrdiff_t>(before), order_.end()};
}

void Plan::run_spare_twin(PlannedCase& planned, const std::string& name) {
  PlannedArm& place = planned.arm(name);
  if (place.spare_twin.empty())
    return;
  for (const std::string& other : arms_read_by(planned.source, planned.source.arm(name)))
    run_spare_twin(planned, other);
  ask_for(place.twin = std::exchange(place.spare_twin, ""));
}

std::vector<std::string> Plan::run_spare_twins(PlannedCase& planned, const std::vector<std::string>& arms) {
  const size_t before = order_.size();
  for (const std::string& arm : arms)
    run_spare_twin(planned, arm);
  return {order_.begin() + static_cast<std::ptrdiff_t>(before), order_.end()};
}

}  // namespace parity::suite
