// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/survey.hpp"

#include <algorithm>
#include <memory>

#include "harness/base/error.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::coverage {
namespace fs = std::filesystem;
namespace {

using suite::FlatConfig;

/// An arm of parity-train with its config and run.
struct SurveyedArm {
  std::string name;
  FlatConfig config;
  const suite::PlannedRun* run = nullptr;
};

std::vector<SurveyedArm> arms_of(const suite::Plan& plan, Survey& found) {
  std::vector<SurveyedArm> arms;
  for (const suite::PlannedCase& planned : plan.cases())
    for (const suite::PlannedArm& arm : planned.arms) {
      const std::string name = planned.source.name + ":" + arm.name;
      const suite::PlannedRun& run = plan.runs().at(arm.run);
      if (planned.source.arm(arm.name).is_command()) {
        ++found.command_arms;
        add_arm(found.starts, run.launch, {name, {}});
      } else {
        arms.push_back({name, arm.config, &run});
      }
    }
  return arms;
}

void add_model(std::vector<SurveyedArm>& arms, const Validator& validate) {
  std::vector<FlatConfig> configs;
  for (const SurveyedArm& arm : arms)
    configs.push_back(arm.config);
  const std::vector<Answer> answers = validate(configs);
  for (size_t i = 0; i < arms.size(); ++i)
    arms[i].config = with_model(arms[i].config, answers[i]);
}

/// Returns the trace of a finished run; null if there is none that can be read.
std::unique_ptr<trace::Trace> trace_of(const suite::PlannedRun& run, const suite::RunStore& store) {
  std::error_code error;
  if (!fs::exists(store.folder(run.id) / "run.json", error))
    return nullptr;
  try {
    return std::make_unique<trace::Trace>(trace::Trace::open(store.trace(run.id)));
  } catch (const UserError&) {
    return nullptr;  // a damaged run is one that was not run
  }
}

void count_acts(std::vector<ActCount>& counts, const SurveyedArm& arm, const trace::Trace* trace) {
  for (size_t i = 0; i < acts().size(); ++i) {
    const Act& act = acts()[i];
    if (!act.may_act(arm.config))
      continue;
    switch (held(act, arm.config, trace)) {
      case Held::yes:
        counts[i].acted.push_back(arm.name);
        break;
      case Held::no:
        ++counts[i].idle;
        break;
      case Held::unknown:
        counts[i].unknown.push_back(arm.name);
        break;
    }
  }
}

}  // namespace

int64_t Survey::count(PairState state) const {
  return std::ranges::count_if(pairs, [state](const Pair& pair) { return pair.state == state; });
}

Survey survey(const std::vector<suite::Case>& cases, const SurveySource& source) {
  suite::ContentHashes hashes(source.out / "content_hashes.json");
  suite::Plan plan(suite::plan_context(source.trainer, hashes));
  for (const suite::Case& item : cases)
    plan.add(item);
  const Validator validate = trainer_validator(source.trainer, source.out / "coverage");
  const suite::RunStore store(source.out);
  Survey found;
  found.starts = ways_to_start();
  std::vector<SurveyedArm> arms = arms_of(plan, found);
  add_model(arms, validate);
  for (const Act& act : acts())
    found.acts.push_back({std::string(act.name), {}, 0, {}});
  for (const SurveyedArm& arm : arms) {
    const std::unique_ptr<trace::Trace> trace = trace_of(*arm.run, store);
    found.arms_run += trace ? 1 : 0;
    found.arms.push_back({arm.name, held_features(arm.config, trace.get())});
    add_arm(found.starts, arm.run->launch, found.arms.back());
    count_acts(found.acts, arm, trace.get());
  }
  found.pairs = classify_pairs(found.arms, validate);
  return found;
}

}  // namespace parity::coverage
