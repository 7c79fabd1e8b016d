// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

/// Ten updates by ranks of parity-train and by ranks of PyTorch's own tensor parallelism.
class PyTorchTensorParallelTest : public PyTorchRanksTest, public testing::WithParamInterface<Setting> {};

TEST_P(PyTorchTensorParallelTest, GivesTheSameLossAndGradientNormBitForBit) {
  const auto& [name, dtype, layout] = GetParam();
  expect_same_bits("pytorch_tensor_parallel.py", 2, dtype, grouped, with(layout, {{"parallel.tp", 2}}));
  EXPECT_NE(channel_of(trace_of("ours.h5"), "grad_norm"), channel_of(trace_of("replay.h5"), "grad_norm"))
      << "sums in another order";
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
}  // namespace parity::reference
