// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The program's peak memory with few cases and with many. Kept whole, each of these cases would take
// megabytes.
#include <algorithm>

#include <gmock/gmock.h>

#include "harness/suite/results/file/writer.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

constexpr int few = 3;
constexpr int many = 30;
constexpr int64_t most_growth = 12 << 10;  ///< KiB; the cases as text alone are 27 x 0.7 MiB more

class MemoryTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (Json::parse(parity("version --json").out).at("sanitizer") != "") {
      GTEST_SKIP() << "a sanitizer keeps memory that was freed";
    }
  }
  /// Returns the largest resident memory [KiB] of `parity WORDS`, which must end with status 0.
  int64_t peak(const std::string& words) const {
    write_file(folder_ / "peak.py",
               "import resource, subprocess, sys\n"
               "status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
               "sys.exit(status)\n");
    const Outcome outcome = shell(places::python + " peak.py parity " + words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out.empty() ? 0 : std::stoll(outcome.out);
  }
};

/// Large curves, rows, a picture and a config, each at its own place in the schema.
results::Case large_case(int number) {
  std::vector<int> steps(5000);
  std::generate(steps.begin(), steps.end(), [step = 0]() mutable { return ++step; });
  const std::vector<double> values(steps.size(), 1 / 3.0);
  Json rows = Json::array(), config = Json::object();
  for (int i = 0; i < 2000; ++i) {
    rows.push_back({{"name", "layers." + std::to_string(i)}, {"identical", false}, {"max_ulp", i}});
    config["key" + std::to_string(i)] = "value " + std::to_string(i);
  }
  const std::vector<int> starts = {0, 1, 2, 3};
  const Json picture = {{"step", 1},
                        {"phase", "grad"},
                        {"tensor", "w"},
                        {"shape", {4, 4}},
                        {"rows", 4},
                        {"columns", 4},
                        {"row_starts", starts},
                        {"column_starts", starts},
                        {"cells", Json::array({starts, starts, starts, starts})}};
  const Json curve = {{"channel", "loss"}, {"steps", steps}, {"series", {{"a", values}, {"b", values}}}};
  const Json arm = {{"status", "complete"}, {"config", config}, {"provenance", config}};
  Json arms = {arm, arm};
  arms[0]["name"] = "a";
  arms[1]["name"] = "b";
  const Json check = {
      {"id", "x"},         {"quantity", "w"},       {"arms", {"a", "b"}}, {"relation", "equivalent"},
      {"passed", true},    {"verdict", "rounding"}, {"sentence", "x"},    {"tensors", rows},
      {"picture", picture}};
  return results::read_case({{"name", "topic/" + std::to_string(number)},
                             {"passed", true},
                             {"verdict", "rounding"},
                             {"arms", arms},
                             {"curves", {curve, curve}},
                             {"checks", {check, check}}});
}

TEST_F(MemoryTest, AReportOfManyCasesTakesWhatOneOfFewTakes) {
  int64_t peaks[2] = {};
  for (const int count : {few, many}) {
    suite::ResultsWriter writer(folder_ / std::to_string(count) / "results.json");
    for (int i = 0; i < count; ++i)
      writer.add(static_cast<size_t>(i), large_case(i));
    writer.finish({{"schema", "parity.results/2"}, {"summary", Json::object()}});
    peaks[count == many] = peak("report " + std::to_string(count));
  }
  EXPECT_LT(peaks[1], peaks[0] + most_growth);
}

TEST_F(MemoryTest, ARunOfManyCasesTakesWhatOneOfFewTakes) {
  std::vector<double> losses(3000);
  for (size_t i = 0; i < losses.size(); ++i)
    losses[i] = 8 - static_cast<double>(i) / 500;
  write_trace("long", losses);
  for (const int count : {few, many})
    for (int i = 0; i < count; ++i)
      write_case(
          "of" + std::to_string(count) + "_" + std::to_string(i),
          no_golden() + copying_arm("first", "long") + copying_arm("second", "long") + losses_identical());
  const int64_t with_few = peak("run 'topic/of3_*'"), with_many = peak("run 'topic/of30_*'");
  EXPECT_LT(with_many, with_few + most_growth);
}

}  // namespace
}  // namespace parity::cli
