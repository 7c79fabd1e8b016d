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

TEST_F(WeightsProgramTest, SavedFolder_PytorchLoadsTheBits) {
  const std::string config = write_config(small()).string() + " --quiet --set steps=2 --save-weights ";
  const std::string python = "PARITY_PYTHON=" + places::python, out = (folder / "out").string();
  ASSERT_EQ(train(config + weights.string()).status, 0);
  const CommandResult saved = train(config + out + "/", python);
  ASSERT_EQ(saved.status, 0) << saved.output;
  const CommandResult loaded = run_python(folder, R"(
import json, sys, torch, torch.distributed.checkpoint as dcp
raw = open(sys.argv[1], "rb").read()
start = 8 + int.from_bytes(raw[:8], "little")
rows = {name: row for name, row in json.loads(raw[8:start]).items() if name != "__metadata__"}
place = {name: torch.zeros(row["shape"]) for name, row in rows.items()}
dcp.load(place, checkpoint_id=sys.argv[2], no_dist=True)
stored = {name for name in dcp.FileSystemReader(sys.argv[2]).read_metadata().state_dict_metadata}
assert stored == set(rows) and len(rows) > 10, stored
for name, row in rows.items():
    first, last = row["data_offsets"]
    assert row["dtype"] == "F32" and place[name].numpy().tobytes() == raw[start + first:start + last], name
)",
                                          weights.string() + " " + out);
  EXPECT_EQ(loaded.status, 0) << loaded.output;
  EXPECT_THAT(train(config + out + "/", python).output, HasSubstr("it is not empty"));
}

TEST_F(WeightsProgramTest, ACheckpoint_BecomesAFolderOfPytorch) {
  const std::string out = (folder / "state").string();
  ASSERT_EQ(
      train(write_config(small()).string() + " --quiet --stop-after 1 --checkpoint-dir " + folder.string())
          .status,
      0);
  const CommandResult loaded =
      run_python(folder, R"(
import sys
sys.path.insert(0, sys.argv[1])
import torch, torch.distributed.checkpoint as dcp
from parity.checkpoints import distribute
assert distribute.run([sys.argv[2], "-o", sys.argv[3]]) == 0
saved = torch.load(sys.argv[2], weights_only=False)
place = {name: torch.zeros_like(value) for name, value in saved.items()}
dcp.load(place, checkpoint_id=sys.argv[3], no_dist=True)
assert any(name.startswith("optimizer/exp_avg/") for name in saved) and "generator" in saved
for name, value in saved.items():
    assert place[name].numpy().tobytes() == value.numpy().tobytes(), name
)",
                 places::source + "/harness/python/src " + (folder / "checkpoint.pt").string() + " " + out);
  EXPECT_EQ(loaded.status, 0) << loaded.output;
}

TEST_F(WeightsProgramTest, AFolderWithoutPytorch_FailsBeforeTraining) {
  const CommandResult result =
      train(write_config(small()).string() + " --save-weights " + (folder / "out").string() + "/",
            "PARITY_PYTHON=/usr/bin/python3");
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.output, HasSubstr("/usr/bin/python3 has no PyTorch"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("step 1/")));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
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
