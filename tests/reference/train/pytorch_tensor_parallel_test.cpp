// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch_fixture.hpp"

namespace parity {
namespace {

/// Ten updates on two ranks by parity-train and by PyTorch's own tensor parallelism, on what one process had.
class PyTorchTensorParallelTest : public TrainProgramTest, public testing::WithParamInterface<Setting> {
 protected:
  void SetUp() override {
    TrainProgramTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }

  std::string path(const std::string& name) const { return (folder / name).string(); }

  void train_alone(const Json& changes) const {
    write_file(folder / "capture.json", R"({"tensors": [], "sketches": [], "replay": true})");
    const CommandResult result = train(write_config(changes, "alone.json").string() + " --capture " +
                                       path("capture.json") + " --trace " + path("alone.h5"));
    ASSERT_EQ(result.status, 0) << result.output;
  }

  void train_on_two_ranks() const {
    const auto rank = [&](int r) {
      return std::string(portable) + "PARITY_RENDEZVOUS=" + path("store") +
             " WORLD_SIZE=2 RANK=" + std::to_string(r) + " LOCAL_RANK=" + std::to_string(r) + " " +
             program() + path("config.json") + " --trace " + path("ours.h5");
    };
    const CommandResult result = run_shell("{ " + rank(1) + " & } ; " + rank(0) + " && wait $!");
    ASSERT_EQ(result.status, 0) << result.output;
  }

  void train_theirs() const {
    const CommandResult result =
        run_shell(std::string(portable) + "PARITY_CONFIG=" + path("config.json") +
                  " PARITY_TRACE=" + path("theirs.h5") + " " + places::python + " " + places::source +
                  "/tests/support/pytorch_tensor_parallel.py " + path("alone.h5"));
    ASSERT_EQ(result.status, 0) << result.output;
  }
};

TEST_P(PyTorchTensorParallelTest, GivesTheSameLossAndGradientNormBitForBit) {
  ASSERT_NO_FATAL_FAILURE(train_alone(grouped));
  Json changes = with(grouped, GetParam().changes);
  changes["parallel.tp"] = 2;
  write_config(changes);
  ASSERT_NO_FATAL_FAILURE(train_on_two_ranks());
  ASSERT_NO_FATAL_FAILURE(train_theirs());
  const Trace ours = Trace::open(folder / "ours.h5"), theirs = Trace::open(folder / "theirs.h5"),
              alone = Trace::open(folder / "alone.h5");
  for (const char* channel : {"loss", "grad_norm", "lr"}) {
    EXPECT_EQ(channel_of(ours, channel).size(), 10U);
    EXPECT_EQ(channel_of(ours, channel), channel_of(theirs, channel)) << channel;
  }
  EXPECT_NE(channel_of(ours, "grad_norm"), channel_of(alone, "grad_norm")) << "sums in another order";
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchTensorParallelTest,
    testing::Values(Setting{"Plain", "float32", Json::object()},
                    Setting{"SequenceParallel", "float32", {{"parallel.sequence_parallel", true}}},
                    Setting{"SequenceAndLossParallel",
                            "float32",
                            {{"parallel.sequence_parallel", true}, {"parallel.loss_parallel", true}}}),
    name_of_setting);

}  // namespace
}  // namespace parity
