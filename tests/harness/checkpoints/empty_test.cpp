// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints that lack what they claim to hold.
#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

namespace parity::checkpoints {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class EmptyCheckpoint : public CheckpointTest {
 protected:
  /// Returns a Llama whose matrices are empty, as those of a rank under ZeRO-3.
  static Weights without_matrices() {
    Weights weights = llama();
    for (auto& [name, weight] : weights)
      if (weight.shape.size() == 2)
        weight = {{0}, {}};
    return weights;
  }
};

TEST_F(EmptyCheckpoint, NoElement_IsMissing) {
  Weights weights = llama();
  for (auto& [name, weight] : weights)
    weight = {{0}, {}};
  const CheckpointDifference found = compare(weights, weights);
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.conclusion(),
              AllOf(HasSubstr("missing: no element was compared"), HasSubstr("21 tensors")));
  EXPECT_FALSE(found.to_json().at("agrees"));
  EXPECT_FALSE(found.to_json().at("identical"));
}

TEST_F(EmptyCheckpoint, UnnamedTensors_AreMissing) {
  const CheckpointDifference same = compare({{"a", {{0, 3}, {}}}}, {{"a", {{0, 3}, {}}}});
  EXPECT_EQ(same.exit_code(), ExitCode::missing);
  EXPECT_EQ(compare({{"a", {{0, 3}, {}}}}, {{"a", {{0, 4}, {}}}}).exit_code(), ExitCode::differ);
}

TEST_F(EmptyCheckpoint, WeightsBesideFullOnes_AreMissing) {
  const CheckpointDifference found = compare(without_matrices(), without_matrices());
  EXPECT_EQ(found.exit_code(), ExitCode::missing) << "only the norms have elements";
  EXPECT_THAT(found.conclusion(),
              AllOf(HasSubstr("16 weights have no elements"), HasSubstr("lm_head.weight")));
  Weights differing = without_matrices();
  differing["model.norm.weight"].values[0] = 3;
  EXPECT_EQ(compare(without_matrices(), differing).exit_code(), ExitCode::differ);
  ComparisonOptions norms;
  norms.globs = {"*norm.weight"};
  EXPECT_EQ(compare(without_matrices(), without_matrices(), norms).exit_code(), ExitCode::agree);
  const Weights own = {{"my.part.weight", {{0, 8}, {}}}, {"my.part.scale", drawn({4}, 1)}};
  EXPECT_EQ(compare(own, own).exit_code(), ExitCode::missing);
}

TEST_F(EmptyCheckpoint, EmptyExtraState_IsNoWeight) {
  Weights weights = llama();
  weights["model.layers.0.self_attn._extra_state"] = {{0}, {}};
  EXPECT_EQ(compare(weights, weights).exit_code(), ExitCode::agree);
}

TEST_F(EmptyCheckpoint, StatesBesideTheWeights_AreNamed) {
  fs::create_directories(folder / "trainer");
  fs::rename(write("a.safetensors", llama()), folder / "trainer/model.safetensors");
  EXPECT_THAT(open_checkpoint((folder / "trainer").string()).notes, testing::IsEmpty());
  for (const char* name : {"optimizer.pt", "rng_state_0.pth", "training_args.bin"})
    write_file(folder / "trainer" / name, "state");
  EXPECT_THAT(open_checkpoint((folder / "trainer").string()).notes,
              testing::ElementsAre(
                  AllOf(HasSubstr("optimizer.pt, rng_state_0.pth in "), HasSubstr("were not compared"))));
  EXPECT_THAT(open_checkpoint((folder / "trainer/model.safetensors").string()).notes, testing::IsEmpty());
}

TEST_F(EmptyCheckpoint, ShardAlone_IsRefused) {
  for (const char* name : {"model-00001-of-00002.safetensors", "rank-2-of-4.safetensors"}) {
    fs::create_directories(folder / "half");
    fs::rename(write("a.safetensors", llama()), folder / "half" / name);
    EXPECT_THAT(message_of([&] { open_checkpoint((folder / "half").string()); }),
                AllOf(HasSubstr(name), HasSubstr("one shard of"), HasSubstr("no index")));
    EXPECT_EQ(open_checkpoint((folder / "half" / name).string()).tensors.size(), 21U) << "the user names it";
    fs::remove_all(folder / "half");
  }
  for (const char* name : {"model-00001-of-00001.safetensors", "best-of-2.safetensors"}) {
    fs::create_directories(folder / "whole");
    fs::rename(write("a.safetensors", llama()), folder / "whole" / name);
    EXPECT_EQ(open_checkpoint((folder / "whole").string()).tensors.size(), 21U) << name;
    fs::remove_all(folder / "whole");
  }
}

}  // namespace
}  // namespace parity::checkpoints
