// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {

/// Exact twins of two updates, of which each has residues of one gradient, one moment and one parameter.
class FunctionTest : public PlantedTest {
 protected:
  using Residues = std::vector<uint64_t>;

  static PlantedRun twin() {
    PlantedRun run;
    run.config = {{"dtype", "exact"}};
    run.provenance = {{"residues", {{"prime", "13"}, {"fingerprint", "5"}}}};
    run.channels["loss"] = std::vector<double>{3, 2};
    for (int64_t step = 1; step <= 2; ++step)
      for (const auto& [phase, name] : {std::pair{trace::Phase::grad, "w"},
                                        {trace::Phase::grad, "v"},
                                        {trace::Phase::optim, "exp_avg/w"},
                                        {trace::Phase::param, "w"}})
        run.tensors.push_back({{step, phase, name}, Residues{1, 2, 3, 4}});
    return run;
  }
  /// Returns a twin with another residue. \param i  the tensor among those of an update
  static PlantedRun changed(int64_t step, size_t i) {
    PlantedRun run = twin();
    run.tensors.at(static_cast<size_t>(step - 1) * 4 + i).values = Residues{1, 2, 3, 5};
    return run;
  }

  CheckResult judge_twins(const PlantedRun& a, const PlantedRun& b,
                          Relation relation = Relation::same_function, int64_t updates = 2) {
    Check check;
    check.relation = relation;
    check.arms = {"a", "b"};
    check.steps = range(1, 2);
    for (const auto& [name, run] : {std::pair{"a", &a}, {"b", &b}}) {
      exact_[name].trace = written(name, *run);
      exact_[name].updates = {1, updates};
      arms[name].exact = &exact_[name];
    }
    return judge(check, arms);
  }

 private:
  std::map<std::string, ArmEvidence> exact_;
};

}  // namespace parity::compare
