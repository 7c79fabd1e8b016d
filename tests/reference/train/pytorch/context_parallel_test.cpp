// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

/// Ten updates by ranks of parity-train and by ranks of PyTorch, each with parts of the sequences.
class PyTorchContextParallelTest : public PyTorchRanksTest, public testing::WithParamInterface<Setting> {};

TEST_P(PyTorchContextParallelTest, GivesTheSameLossAndGradientNormBitForBit) {
  const auto& [name, dtype, changes] = GetParam();
  expect_same_bits("pytorch_context_parallel.py", 2, dtype, changes, {{"parallel.cp", 2}});
}

const Json packed = with(grouped, {{"data.packing", "concat_then_split"},
                                   {"data.positions", "document"},
                                   {"data.document_tokens", 20},
                                   {"attention.backend", "dense"},
                                   {"attention.documents", {"position_zero"}}});

INSTANTIATE_TEST_SUITE_P(Settings, PyTorchContextParallelTest,
                         testing::Values(Setting{"Documents", "float32", packed},
                                         Setting{"DocumentsInFloat64", "float64", packed}),
                         name_of_setting);

}  // namespace
}  // namespace parity::reference
