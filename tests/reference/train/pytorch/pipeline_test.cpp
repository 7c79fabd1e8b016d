// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

/// A pipeline, and the precision to train in.
struct Stages {
  std::string name;
  std::string schedule;
  std::string dtype;
  int64_t ranks, stages, pieces;
};

/// Ten updates by ranks of parity-train and by ranks of torch.distributed.pipelining.
class PyTorchPipelineTest : public PyTorchRanksTest, public testing::WithParamInterface<Stages> {};

TEST_P(PyTorchPipelineTest, GivesTheSameLossAndGradientNormBitForBit) {
  const auto& [name, schedule, dtype, ranks, stages, pieces] = GetParam();
  expect_same_bits("pytorch_pipeline.py", ranks, dtype,
                   with(grouped, {{"architecture.n_layers", 5}, {"data.global_batch", 8}}),
                   {{"parallel.pp", ranks},
                    {"parallel.pp_schedule", schedule},
                    {"parallel.pp_stages", stages},
                    {"parallel.pp_microbatches", pieces}});
}

INSTANTIATE_TEST_SUITE_P(Schedules, PyTorchPipelineTest,
                         testing::Values(Stages{"Gpipe", "gpipe", "float32", 2, 1, 4},
                                         Stages{"OneForwardOneBackward", "1f1b", "float32", 2, 1, 4},
                                         Stages{"Interleaved", "interleaved", "float32", 2, 2, 4},
                                         Stages{"FourStagesInFloat64", "1f1b", "float64", 4, 1, 4}),
                         [](const auto& stages) { return stages.param.name; });

}  // namespace
}  // namespace parity::reference
