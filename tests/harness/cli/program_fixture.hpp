// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/base/processes/process.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/places.hpp"

namespace parity::cli {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs the program `parity` in the test's folder, as a user would.
class ProgramTest : public suite::SuiteTest {
 protected:
  void SetUp() override {
    suite::SuiteTest::SetUp();
    write_two_traces();
    write_case("same", "tags = [\"fast\"]\n" + no_golden() + copying_arm("first", "a") +
                           copying_arm("second", "a") + losses_identical());
  }
  static std::string no_golden() { return "[golden]\narms = []\n"; }
  void write_different(const std::string& golden = no_golden()) const {
    write_case("differ",
               golden + copying_arm("first", "a") + copying_arm("second", "b") + losses_identical());
  }

  ProcessSpec spec(const std::string& line) const {
    ProcessSpec spec;
    const std::string bin = places::build + "/bin";
    spec.argv = {"/bin/sh", "-c",
                 "cd '" + folder_.string() + "' && PATH='" + bin + "':$PATH && exec " + line};
    // Not the variables of a workflow that runs these tests.
    spec.environment = {{"PARITY_TRAINER", "/no/such/trainer"}, {"GITHUB_ACTIONS", "false"}};
    spec.stdout_file = folder_ / "stdout";
    spec.stderr_file = folder_ / "stderr";
    std::filesystem::remove(spec.stdout_file);
    std::filesystem::remove(spec.stderr_file);
    return spec;
  }
  Outcome parity(const std::string& words) const { return shell("parity " + words); }
  Outcome shell(const std::string& line) const {
    Process process = Process::spawn(spec(line));
    const auto status = process.wait_for(std::chrono::seconds(60));
    return {status ? status->exit_status().value_or(-2) : -3, read_file(folder_ / "stdout"),
            read_file(folder_ / "stderr")};
  }

  /// Returns the results.json of a suite.
  Json results(const std::string& out = "out/suite") const {
    return Json::parse(read_file(folder_ / out / "results.json"));
  }
  /// Returns the names of its cases.
  std::vector<std::string> judged(const std::string& out = "out/suite") const {
    std::vector<std::string> names;
    const Json all = results(out);
    for (const Json& item : all.at("cases"))
      names.push_back(item.at("name"));
    return names;
  }
};

}  // namespace parity::cli
