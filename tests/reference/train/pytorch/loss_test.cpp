// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch written in each trainer's own order of operations: mean then division, mean times tokens then
// scaled gradients, chunks with a buffer of hidden gradients.
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

class PyTorchLossTest : public PyTorchProgramTest {};

TEST_P(PyTorchLossTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits();
}

Json loss(const Json& changes) {
  return with(with(grouped, {{"data.global_batch", 6}, {"data.micro_batches", 3}}), changes);
}

const Json mean = {{"loss.normalization", "microbatch_mean"}};
const Json scaling = {{"loss.normalization", "gradient_scaling"}};
const Json chunks = {{"loss.chunks", 8}};

INSTANTIATE_TEST_SUITE_P(Normalizations, PyTorchLossTest,
                         testing::Values(Setting{"MicrobatchMean", "float32", loss(mean)},
                                         Setting{"GradientScaling", "float32", loss(scaling)},
                                         Setting{"GradientScalingFloat64", "float64", loss(scaling)},
                                         Setting{"StreamedSgd", "float32",
                                                 loss(with(scaling, {{"loss.accumulation", "streamed"},
                                                                     {"optimizer.name", "sgd"},
                                                                     {"lr.base", 0.1}}))},
                                         Setting{"Halves", "float32", loss({{"train.update", "halves"}})},
                                         Setting{"Chunks", "float32", loss(chunks)},
                                         Setting{"ChunksFloat64", "float64", loss(chunks)},
                                         Setting{"ChunksOfMeans", "float32", loss(with(chunks, mean))},
                                         Setting{"ChunksScaled", "float32", loss(with(chunks, scaling))}),
                         name_of_setting);

}  // namespace
}  // namespace parity::reference
