// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/diff.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;

class GoldenDiffTest : public GoldenTest {
 protected:
  const std::filesystem::path after = folder / "after.h5";

  std::string diff_after_recording() {
    record_golden(after, {"lr/warmup", "parity 0.2.0", "c2", "parity golden record"}, arms);
    return golden_diff(read_golden(file), read_golden(after));
  }
};

TEST_F(GoldenDiffTest, SaysThatEqualValuesAreEqual) {
  record();
  EXPECT_EQ(diff_after_recording(), "The values are the same, bit for bit.\n");
}

TEST_F(GoldenDiffTest, HasARowForEachQuantityThatChanged) {
  record();
  auto run = run_of("GenuineIntel");
  run.config["lr"]["base"] = 0.002;
  std::get<0>(run.channels["loss"])[2] = one_ulp_up(std::get<0>(run.channels["loss"])[2]);
  std::get<1>(run.channels["batch_digest"])[3] = 11;
  std::get<0>(run.tensors[1].values)[0] = 0.6F;
  run.channels["extra"] = std::vector<double>(4, 1);
  add_arm("one_indexed", run);
  EXPECT_EQ(diff_after_recording(),
            "| arm | quantity | differs at | first step | before | after | max ULP | relative L2 gap |\n"
            "|---|---|---|---|---|---|---|---|\n"
            "| one_indexed | batch_digest | 1 of 4 | 4 | 10 | 11 |  | 0.058 |\n"
            "| one_indexed | extra | added |  |  |  |  |  |\n"
            "| one_indexed | loss | 1 of 4 | 3 | 7.5488114 | 7.548812 | 1 | 3.1e-08 |\n"
            "| one_indexed | grad | 1 of 2 tensors | 1 | layers.0.wq.weight |  |  | about 0.02 |\n"
            "\n"
            "- one_indexed: config: lr.base is 0.001 before and 0.002 after\n"
            "- one_indexed: environment: cpu_vendor is \"AuthenticAMD\" before and \"GenuineIntel\" after\n");
}

TEST_F(GoldenDiffTest, AnOperatorsArm_NamesThePointOfTheSweep) {
  auto run = run_of("GenuineIntel");
  run.config = Json::parse(
      R"({"operator": {"problem": {"points": [{"dtype": "float32", "sizes": {"b": 1, "v": 32}},
                                              {"dtype": "float32", "sizes": {"b": 5, "v": 32}},
                                              {"dtype": "bfloat16", "sizes": {"b": 5, "v": 32}}]}}})");
  add_arm("one_indexed", run);
  record();
  std::get<0>(run.channels["loss"])[2] = one_ulp_up(std::get<0>(run.channels["loss"])[2]);
  add_arm("one_indexed", run);
  const std::string diff = diff_after_recording();
  EXPECT_THAT(diff, HasSubstr("| differs at | first point |"));
  EXPECT_THAT(diff, HasSubstr("| one_indexed | loss | 1 of 4 | b = 5, v = 32, bfloat16 | 7.5488114 |"));
}

TEST_F(GoldenDiffTest, NamesArmsThatCameAndWent) {
  record();
  arms.erase("zero_indexed");
  EXPECT_THAT(diff_after_recording(), HasSubstr("| zero_indexed | all | removed |"));
}

TEST_F(GoldenDiffTest, AMissingFileIsTheUsersProblem) {
  EXPECT_THROW(read_golden(file), UserError);
}

}  // namespace
}  // namespace parity::golden
