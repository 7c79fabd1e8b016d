// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/compare/judge.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity {

/// Runs of ten steps for which a relation's claim holds, before anything is changed. A run has one channel.
/// Channel `q` and the parameter `w`, at each step and in the initial state, agree: w is {q, 2q}.
struct RelationWorld {
  compare::Check check;
  std::map<std::string, PlantedRun> runs, twins;
  compare::RunUpdates updates = {1, 10};
  int64_t ranks = 1;

  /// Returns whether the claim reads tensors, and no channel.
  bool about_tensors() const { return check.of_tensors() || check.of_exact_twins(); }
};

inline constexpr int64_t world_steps = 10;

/// Returns the relations of training runs. Those of operators have worlds of their own.
inline std::vector<compare::RelationRow> rows_of_training() {
  std::vector<compare::RelationRow> rows;
  for (const compare::RelationRow& row : compare::relation_table())
    if (row.subject != compare::Subject::operators)
      rows.push_back(row);
  return rows;
}

/// Returns the only channel of a run.
inline std::vector<double>& curve_of(PlantedRun& run) {
  return std::get<std::vector<double>>(run.channels.begin()->second);
}

/// Sets a run's channel q, and with it w; of the initial state w is {0, 0}, or what it is at step 1.
inline void set_curve(PlantedRun& run, const std::vector<double>& curve, bool flat = false) {
  run.channels["q"] = curve;
  run.tensors.clear();
  for (int64_t step = 0; step <= world_steps; ++step) {
    const double value = step > 0 ? curve.at(static_cast<size_t>(step) - 1) : flat ? curve.front() : 0;
    run.tensors.push_back({{step, trace::Phase::param, "w"},
                           std::vector<float>{static_cast<float>(value), static_cast<float>(2 * value)}});
  }
}

/// A curve that falls, with relative noise and a difference.
inline PlantedRun noisy_run(double size, uint64_t seed, bool float32, double difference = 0) {
  PlantedRun run;
  std::vector<double> curve;
  for (size_t i = 0; i < static_cast<size_t>(world_steps); ++i) {
    const double value =
        (7 + std::exp(-0.3 * static_cast<double>(i)) + difference) * (1 + noise(i, size, seed));
    curve.push_back(float32 ? static_cast<float>(value) : value);
  }
  set_curve(run, curve);
  if (!float32)
    for (PlantedTensor& tensor : run.tensors) {
      const double value = tensor.key.step == 0 ? 0 : curve.at(static_cast<size_t>(tensor.key.step) - 1);
      tensor.values = std::vector<double>{value, 2 * value};
    }
  return run;
}

/// A run whose only channel, grad_norm, is the norm of its gradient {3g, 4g}.
inline PlantedRun run_of_norms() {
  PlantedRun run;
  std::vector<double> norms;
  for (int64_t step = 1; step <= world_steps; ++step) {
    const double size = 0.25 * static_cast<double>(step);
    norms.push_back(5 * size);
    run.tensors.push_back({{step, trace::Phase::grad, "w"},
                           std::vector<float>{static_cast<float>(3 * size), static_cast<float>(4 * size)}});
  }
  run.channels["grad_norm"] = norms;
  return run;
}

/// An exact twin whose gradient and parameter have residues.
inline PlantedRun run_of_residues() {
  PlantedRun run;
  run.config = {{"dtype", "exact"}};
  run.provenance = {{"residues", {{"prime", "13"}, {"fingerprint", "5"}}}};
  std::vector<double> curve;
  for (int64_t step = 1; step <= world_steps; ++step) {
    curve.push_back(static_cast<double>(world_steps - step));
    for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
      run.tensors.push_back(
          {{step, phase, "w"}, std::vector<uint64_t>{100, 100 * static_cast<uint64_t>(step)}});
  }
  run.channels["q"] = curve;
  return run;
}

/// Returns a world in which the relation holds for channel q, or for the tensor w.
inline RelationWorld world_of(compare::Relation relation, bool of_tensors) {
  constexpr double u32 = 0x1p-22, u64 = 0x1p-51;
  RelationWorld world;
  world.check.relation = relation;
  world.check.because = "the test says so";
  world.check.arms = {"a", "b"};
  if (of_tensors)
    world.check.tensor = "*";
  else
    world.check.channels = {"q"};
  const auto add = [&](const std::string& name, uint64_t seed, double difference = 0) {
    world.runs[name] = noisy_run(u32, seed, true, difference);
    world.twins[name] = noisy_run(u64, seed + 10, false, difference);
  };
  add("a", 1);
  add("b", 2);
  switch (relation) {
    case compare::Relation::identical:
      world.runs["b"] = world.runs["a"];
      break;
    case compare::Relation::lagged: {
      std::vector<double> curve = falling_curve(world_steps + 1);
      set_curve(world.runs["a"], {curve.begin() + 1, curve.end()});
      set_curve(world.runs["b"], {curve.begin(), curve.end() - 1});
      break;
    }
    case compare::Relation::unchanged:
      world.check.arms = {"a"};
      set_curve(world.runs["a"], std::vector<double>(world_steps, 3.0), /*flat=*/true);
      break;
    case compare::Relation::distinct:
      add("b", 2, 0.5);
      break;
    case compare::Relation::trained:
      world.check.arms = {"a"};
      break;
    case compare::Relation::bounded:
      world.check.tolerance = 1e-3;
      world.check.tolerance_because = "the test says so";
      break;
    case compare::Relation::no_farther:
      world.check.sibling = compare::Sibling{{"c", "d"}, {}, 3};
      add("c", 3, 0.1);
      add("d", 4, 0.2);
      break;
    case compare::Relation::lawful:
      world.check.arms = {"a"};
      world.check.channels = {};
      world.check.laws = {"grad_norm"};
      world.runs["a"] = run_of_norms();
      break;
    case compare::Relation::repeats:
      world.check.arms = {"a"};
      world.check.channels = {};
      world.check.times = 2;
      world.runs["b"] = world.runs["a"];
      break;
    case compare::Relation::same_function:
    case compare::Relation::other_function:
      world.check.channels = {};
      for (const char* name : {"a", "b"})
        world.runs[name] = run_of_residues();
      if (relation == compare::Relation::other_function)
        for (PlantedTensor& each : world.runs["b"].tensors)
          each.values = std::vector<uint64_t>{9999, 8888};
      break;
    case compare::Relation::equivalent:
    case compare::Relation::accurate:  // of operators: tests/harness/operators/operator_world.hpp
    case compare::Relation::invariant:
      break;
  }
  return world;
}

/// Writes a world's runs and judges its check.
class RelationWorldTest : public PlantedTest {
 protected:
  compare::CheckResult judge_world(const RelationWorld& world) {
    floors_ = {};
    for (const auto& [name, run] : world.runs) {
      arms[name].trace = written(name, run);
      arms[name].updates = world.updates;
      arms[name].ranks = world.ranks;
    }
    if (world.check.relation == compare::Relation::repeats)
      arms["a"].repetitions = {{"b", compare::Condition::none, arms["b"].trace, ""}};
    if (world.check.of_exact_twins())
      for (const auto& [name, run] : world.runs) {
        exact_[name] = arms[name];
        arms[name].exact = &exact_[name];
      }
    if (world.check.needs_twins())
      for (const auto& [name, run] : world.twins)
        arms[name].twin = written(name + ".twin", run);
    for (int64_t step = 0; step <= world_steps; ++step)
      for (const char* quantity : {"q", "param w"})
        floors_.rows.push_back({quantity, step, 8, {1e-5}});
    for (auto& [name, arm] : arms)
      arm.floors = &floors_;
    return judge(world.check, arms);
  }

 private:
  compare::ArmFloors floors_;
  std::map<std::string, compare::ArmEvidence> exact_;
};

}  // namespace parity
