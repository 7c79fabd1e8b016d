// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/checkpoints/files/safetensors.hpp"
#include "tests/support/train_fixture.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;
using testing::Key;

class WeightsProgramTest : public TrainProgramTest {
 protected:
  const std::filesystem::path weights = folder / "weights.safetensors";

  /// Losses of a run.
  std::vector<double> losses(const Json& changes, const std::string& options) const {
    const CommandResult result =
        train(write_config(changes).string() + " --quiet --trace " + trace_path().string() + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return channel_of(trace::Trace::open(trace_path()), "loss");
  }
};

TEST_F(WeightsProgramTest, SavedWeights_AnyNames_StartAnotherRun) {
  Json still = small();
  still.update({{"steps", 3}, {"lr.base", 1e-30}});  // the final weights equal the initial ones
  Json other = still;
  other["seed"] = 7;
  const std::vector<double> expected = losses(still, "");
  EXPECT_NE(losses(other, ""), expected);
  for (const char* names : {"torchtitan", "torchtitan_2026", "torchtitan_2026_fused", "hugging_face"}) {
    EXPECT_EQ(losses(still, " --save-weights " + weights.string() + " --weights-names " + names), expected);
    EXPECT_EQ(losses(other, " --load-weights " + weights.string()), expected) << names;
  }
  EXPECT_THAT(checkpoints::SafetensorsFile(weights).tensors(),
              testing::Contains(Key("model.layers.1.self_attn.q_proj.weight")));
}

TEST_F(WeightsProgramTest, MissingOrForeignWeights_FailBeforeTheRun) {
  Json changes = small();
  changes["steps"] = 1;
  const std::string config = write_config(changes).string();
  CommandResult result = train(config + " --load-weights " + weights.string());
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.output, HasSubstr("the file does not exist"));
  ASSERT_EQ(train(config + " --save-weights " + weights.string()).status, 0);
  result = train(config + " --set architecture.ffn_hidden=64 --load-weights " + weights.string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("6 tensors have other shapes"));
  write_file(weights, read_file(weights).substr(0, 5000));
  result = train(config + " --load-weights " + weights.string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("cut short"));
}

TEST_F(WeightsProgramTest, APlaceThatCannotBeWrittenIsSeenBeforeTraining) {
  write_file(folder / "file", "");
  const CommandResult result = train(write_config(small()).string() + " --save-weights " +
                                     (folder / "file" / "x.safetensors").string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("cannot write"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("step 1/")));
}

}  // namespace
}  // namespace parity::reference
