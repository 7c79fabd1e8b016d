// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/golden/golden_file.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity {

/// A case of two arms with channels, gradients, parameters and float64 twins, and a golden file.
class GoldenTest : public PlantedTest {
 protected:
  const std::filesystem::path file = folder / "golden/lr/warmup.h5";

  static PlantedRun run_of(const std::string& cpu = "AuthenticAMD", double factor = 1) {
    PlantedRun run{
        .channels = {{"batch_digest", std::vector<int64_t>{7, 8, 9, 10}},
                     {"loss", changed(falling_curve(4), [&](size_t, double v) { return v * factor; })},
                     {"step_seconds", std::vector<double>(4, 0.1)}},
        .timing = {"step_seconds"}};
    for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param, trace::Phase::forward})
      for (int64_t step = 0; step <= 4; ++step)
        run.tensors.push_back({{step, phase, "layers.0.wq.weight"}, std::vector<float>(100, 0.5F)});
    run.config = {{"lr", {{"base", 0.001}}}};
    run.provenance = {{"fingerprint", {{"cpu_vendor", cpu}}}, {"commit", "abc"}};
    return run;
  }

  void SetUp() override {
    PlantedTest::SetUp();
    for (const char* name : {"one_indexed", "zero_indexed"}) {
      add_arm(name, run_of());
      add_twin(name, run_of());
    }
  }

  /// \return whether the file changed
  bool record(const std::string& commit = "c1", const std::string& reason = "") {
    return golden::record_golden(file, {"lr/warmup", "parity 0.1.0", commit, "parity golden record"}, arms,
                                 reason) != golden::Recording::unchanged;
  }

  /// Returns the results that failed, in order; all of them must name their arm.
  std::vector<golden::GoldenResult> failures() {
    std::vector<golden::GoldenResult> failed;
    for (golden::GoldenResult& each : verify_golden(golden::stored_golden(file), arms))
      if (!each.result.passed)
        failed.push_back(std::move(each));
    return failed;
  }

  /// Runs lines of Python over the golden, opened as `f` by h5py.
  void edit(const std::string& lines) {
    const CommandResult result =
        run_python(folder, "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n" + lines + "\nf.close()\n",
                   file.string());
    ASSERT_EQ(result.status, 0) << result.output;
  }
};

}  // namespace parity
