// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/reference/dcp/trained.hpp"
#include "tests/support/places.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class DcpCheckpointTest : public RanksTest {
 protected:
  const std::filesystem::path saved = folder / "checkpoint.dcp";
  const std::filesystem::path whole = folder / "checkpoint.pt";

  /// Trains two updates on ranks and saves both formats.
  void save_from(int64_t ranks, const RunConfig& config) {
    ASSERT_THAT(run_ranks(ranks,
                          [&](Group& world) {
                            Trainer trainer(config, held(world));
                            trainer.step();
                            trainer.step();
                            trainer.save(whole);
                            trainer.save(saved, CheckpointFormat::dcp);
                          }),
                Each(""));
  }
  /// Requires that a folder gives the bits and the positions that the file of whole tensors gives.
  void expect_resumes_as_the_file(int64_t ranks, const RunConfig& config, const std::filesystem::path& from) {
    EXPECT_THAT(run_ranks(ranks,
                          [&](Group& world) {
                            Trainer expected(config, held(world));
                            expected.load(whole, {});
                            const auto trainer = resumed(config, held(world), from);
                            require_equal(state_of(expected), state_of(*trainer));
                            require(trainer->updates_done() == 2 && trainer->schedule_position() == 2,
                                    "another position of the schedule");
                            require(trainer->data_position() == expected.data_position(), "another position");
                            const double loss = expected.step().loss;
                            require(trainer->step().loss == loss, "another loss");
                            require_equal(state_of(expected), state_of(*trainer));
                          }),
                Each(""));
  }
};

TEST_F(DcpCheckpointTest, AnyLayout_OtherRanksResume) {
  save_from(4, sharded(1, 4));
  for (const auto& [ranks, config] : {std::pair{4, sharded(1, 4)},
                                      {4, sharded(2, 2)},
                                      {4, sharded(1, 2, 2)},
                                      {3, sharded(1, 3)},
                                      {2, sharded(2, 1)},
                                      {1, sharded(1, 1)}})
    expect_resumes_as_the_file(ranks, config, saved);
}

TEST_F(DcpCheckpointTest, HsdpAndTensorParallel_AreResumed) {
  save_from(4, sharded(2, 2));
  expect_resumes_as_the_file(2, sharded(1, 1, 2), saved);
  save_from(4, sharded(1, 2, 2));  // over the folder that is there
  expect_resumes_as_the_file(3, sharded(1, 3), saved);
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.dcp.old"));
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.dcp.partial"));
}

TEST_F(DcpCheckpointTest, PipelineOfFusedQkv_IsResumed) {
  RunConfig config = sharded(1, 2);
  config.architecture.fused_qkv = true;
  RunConfig stages = config;
  stages.parallel.pp = 2;
  stages.optimizer.name = OptimizerName::sgd;
  stages.optimizer.momentum = 0.9;
  save_from(4, stages);
  config.optimizer = stages.optimizer;
  expect_resumes_as_the_file(2, config, saved);
}

TEST_F(DcpCheckpointTest, PytorchLoadsTheBits) {
  if (!places::has_pytorch)
    GTEST_SKIP() << "needs PyTorch in Python";
  save_from(4, sharded(1, 2, 2));
  const CommandResult python = run_python(folder, R"(
import sys, torch, torch.distributed.checkpoint as dcp
whole = torch.load(sys.argv[1], weights_only=False)
metadata = dcp.FileSystemReader(sys.argv[2]).read_metadata()
assert set(metadata.state_dict_metadata) == set(whole) and len(whole) > 50, set(whole) ^ set(metadata.state_dict_metadata)
files = {info.relative_path for info in metadata.storage_data.values()}
assert files == {f"__{rank}_0.distcp" for rank in range(4)}, files
assert any(len(one.chunks) == 4 for one in metadata.state_dict_metadata.values())
place = {name: torch.full_like(value, 99) for name, value in whole.items()}
dcp.load(place, checkpoint_id=sys.argv[2], no_dist=True)
for name, value in whole.items():
    assert place[name].dtype == value.dtype and place[name].numpy().tobytes() == value.numpy().tobytes(), name
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
dcp_to_torch_save(sys.argv[2], sys.argv[1] + ".again")
again = torch.load(sys.argv[1] + ".again", weights_only=True)
assert all(torch.equal(again[name], value) for name, value in whole.items()) and set(again) == set(whole)
)",
                                          whole.string() + " " + saved.string());
  EXPECT_EQ(python.status, 0) << python.output;
}

TEST_F(DcpCheckpointTest, FoldersOfPytorch_AreResumed) {
  if (!places::has_pytorch)
    GTEST_SKIP() << "needs PyTorch in Python";
  save_from(2, sharded(1, 2));
  const CommandResult python = run_python(folder, R"(
import sys
sys.path.insert(0, sys.argv[2])
import torch, torch.distributed.checkpoint as dcp
from parity.checkpoints import distribute
if __name__ == "__main__":
    whole = torch.load(sys.argv[1], weights_only=False)
    dcp.save(whole, checkpoint_id=sys.argv[1] + ".one", no_dist=True)
    assert distribute.run([sys.argv[1], "-o", sys.argv[1] + ".three", "--ranks", "3"]) == 0
)",
                                          whole.string() + " " + places::source + "/harness/python/src");
  ASSERT_EQ(python.status, 0) << python.output;
  EXPECT_TRUE(std::filesystem::exists(whole.string() + ".three/__2_0.distcp"));
  for (const char* ending : {".one", ".three"}) {
    expect_resumes_as_the_file(2, sharded(1, 1, 2), whole.string() + ending);
    expect_resumes_as_the_file(4, sharded(1, 4), whole.string() + ending);
  }
}

TEST_F(DcpCheckpointTest, SameRun_SameBytes) {
  save_from(2, sharded(1, 2));
  const std::filesystem::path first = folder / "first";
  std::filesystem::rename(saved, first);
  save_from(2, sharded(1, 2));
  for (const char* name : {".metadata", "__0_0.distcp", "__1_0.distcp"})
    EXPECT_EQ(read_file(first / name), read_file(saved / name)) << name;
}

}  // namespace
}  // namespace parity::reference
