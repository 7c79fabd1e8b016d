// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/operators/judge/judge.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity {

/// Runs of an invented operator at two points: y [n, 4], and the gradient of its input x. Arms a and b differ
/// by rounding in float32 and agree in float64, and "exact" is exact.
class OperatorWorldTest : public PlantedTest {
 protected:
  operators::Problem problem = two_points();
  compare::Check check = usual_check();
  std::map<std::string, PlantedRun> runs = {
      {"a", run_of(1, 0x1p-24)}, {"b", run_of(2, 0x1p-24)}, {"exact", run_of(0, 0, true)}};
  std::map<std::string, PlantedRun> twins = {{"a", run_of(3, 0x1p-53, true)},
                                             {"b", run_of(4, 0x1p-53, true)}};

  static operators::Problem two_points() {
    operators::Problem problem;
    operators::Input x{"x"};
    x.tensors.push_back({});
    x.tensors.front().shape = {{0, "n"}, {4}};
    x.tensors.front().grad = true;
    problem.inputs = {x};
    problem.points = {{{{"n", 3}}, DType::float32}, {{{"n", 5}}, DType::float32}};
    return problem;
  }

  static compare::Check usual_check() {
    compare::Check check;
    check.tensor = "*";
    check.arms = {"a", "b"};
    check.relation = compare::Relation::equivalent;
    check.because = "the test says so";
    check.of_operator.emplace();
    return check;
  }

  /// Returns the values of a tensor: smooth, with relative noise of its own for each run.
  static std::vector<double> values(int64_t point, uint64_t salt, uint64_t seed, double noise_size) {
    std::vector<double> result;
    for (size_t i = 0; i < static_cast<size_t>((point == 1 ? 3 : 5) * 4); ++i)
      result.push_back((1.5 + std::sin(static_cast<double>(i * 3 + salt))) *
                       (1 + noise(i, noise_size, seed + 10 * salt)));
    return result;
  }

  static PlantedRun run_of(uint64_t seed, double noise_size, bool wide = false) {
    PlantedRun run;
    run.config = {{"operator", {{"problem", two_points().to_json()}}}};
    run.channels["forward y"] = std::vector<double>{1, 2};
    for (int64_t point = 1; point <= 2; ++point) {
      const Shape shape = {point == 1 ? 3 : 5, 4};
      const auto add = [&](trace::Phase phase, const std::string& name, const std::vector<double>& list,
                           bool double_precision) {
        if (double_precision)
          run.tensors.push_back({{point, phase, name}, list, shape});
        else
          run.tensors.push_back({{point, phase, name}, std::vector<float>(list.begin(), list.end()), shape});
      };
      add(trace::Phase::input, "x", values(point, 9, 0, 0), false);
      add(trace::Phase::forward, "y", values(point, 1, seed, noise_size), wide);
      add(trace::Phase::grad, "x", values(point, 2, seed, noise_size), wide);
    }
    return run;
  }

  /// Returns a tensor of a run, to change it.
  static PlantedTensor& tensor(PlantedRun& run, int64_t point, trace::Phase phase, const std::string& name) {
    const trace::TensorKey key{point, phase, name};
    return *std::ranges::find(run.tensors, key, &PlantedTensor::key);
  }
  static std::vector<float>& floats(PlantedRun& run, int64_t point, trace::Phase phase,
                                    const std::string& name) {
    return std::get<std::vector<float>>(tensor(run, point, phase, name).values);
  }
  static std::vector<double>& doubles(PlantedRun& run, int64_t point, trace::Phase phase,
                                      const std::string& name) {
    return std::get<std::vector<double>>(tensor(run, point, phase, name).values);
  }

  compare::CheckResult judged() {
    for (const auto& [name, run] : runs)
      arms[name].trace = write(name, run);
    if (check.needs_twins())
      for (const auto& [name, run] : twins)
        arms[name].twin = write(name + ".twin", run);
    return operators::judge(check, problem, arms);
  }
};

}  // namespace parity
