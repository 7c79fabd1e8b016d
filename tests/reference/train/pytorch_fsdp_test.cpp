// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch_fixture.hpp"

namespace parity {
namespace {

/// A mesh, and the precision to train in.
struct Sharing {
  std::string name;
  std::string dtype;
  int64_t dp_replicate, dp_shard;
  Json changes;
};

/// Ten updates by ranks of parity-train and by ranks of PyTorch's fully_shard, on the same rows.
class PyTorchFsdpTest : public TrainProgramTest, public testing::WithParamInterface<Sharing> {
 protected:
  void SetUp() override {
    TrainProgramTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }

  /// Runs a command as so many ranks; they die with the slowest, at the latest after two minutes.
  CommandResult run_ranks(int64_t ranks, const std::string& environment, const std::string& command) const {
    const std::string store = (folder / ("store" + std::to_string(++runs_))).string();
    std::string script = "set -m; pids=; ";
    for (int64_t rank = 0; rank < ranks; ++rank)
      script += "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + std::to_string(ranks) +
                " PARITY_RENDEZVOUS=" + store + " " + portable + environment + " timeout 120 " + command +
                " & pids=\"$pids $!\"; ";
    return run_shell("(" + script + "for p in $pids; do wait $p || exit 1; done)");
  }

  Trace trace_of(const std::string& name) const { return Trace::open(folder / name); }

 private:
  mutable int runs_ = 0;
};

TEST_P(PyTorchFsdpTest, GivesTheSameLossAndGradientNormBitForBit) {
  const auto& [name, dtype, dp_replicate, dp_shard, changes] = GetParam();
  const std::string one = write_config(changes, "one.json");
  const std::string several =
      write_config(with(changes, {{"parallel.dp_replicate", dp_replicate}, {"parallel.dp_shard", dp_shard}}),
                   "several.json");
  write_file(folder / "capture.json", R"({"tensors": [], "sketches": [], "replay": true})");
  const std::string at = folder.string() + "/";
  const CommandResult replay =
      train(one + " --capture " + at + "capture.json --dtype " + dtype + " --trace " + at + "replay.h5");
  ASSERT_EQ(replay.status, 0) << replay.output;
  const int64_t ranks = dp_replicate * dp_shard;
  const CommandResult ours =
      run_ranks(ranks, "", program() + several + " --dtype " + dtype + " --trace " + at + "ours.h5");
  ASSERT_EQ(ours.status, 0) << ours.output;
  const CommandResult theirs = run_ranks(ranks,
                                         "GLOO_SOCKET_IFNAME=lo PARITY_CONFIG=" + several +
                                             " PARITY_DTYPE=" + dtype + " PARITY_TRACE=" + at + "theirs.h5",
                                         std::string(places::python) + " " + places::source +
                                             "/tests/support/pytorch_fsdp.py " + at + "replay.h5");
  ASSERT_EQ(theirs.status, 0) << theirs.output;
  for (const char* channel : {"loss", "grad_norm", "lr"}) {
    EXPECT_EQ(channel_of(trace_of("ours.h5"), channel).size(), 10U);
    EXPECT_EQ(channel_of(trace_of("ours.h5"), channel), channel_of(trace_of("theirs.h5"), channel))
        << channel;
  }
}

const Json uneven = with(grouped, {{"architecture.vocab_size", 501}, {"data.global_batch", 8}});

INSTANTIATE_TEST_SUITE_P(Meshes, PyTorchFsdpTest,
                         testing::Values(Sharing{"Fsdp2", "float32", 1, 2, uneven},
                                         Sharing{"Hsdp2x2InFloat64", "float64", 2, 2, uneven},
                                         Sharing{"Fsdp2ReducingEachMicroBatch", "float32", 1, 2,
                                                 with(uneven, {{"parallel.sync", "each"}})}),
                         [](const auto& sharing) { return sharing.param.name; });

}  // namespace
}  // namespace parity
