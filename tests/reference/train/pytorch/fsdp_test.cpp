// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

/// A mesh, and the precision to train in.
struct Sharing {
  std::string name;
  std::string dtype;
  int64_t dp_replicate, dp_shard;
  Json changes;
  Json of_ranks = Json::object();  ///< changes that a single process cannot have
};

/// Ten updates by ranks of parity-train and by ranks of PyTorch's fully_shard, on the same rows.
class PyTorchFsdpTest : public PyTorchRanksTest, public testing::WithParamInterface<Sharing> {};

TEST_P(PyTorchFsdpTest, GivesTheSameLossAndGradientNormBitForBit) {
  const auto& [name, dtype, dp_replicate, dp_shard, changes, of_ranks] = GetParam();
  expect_same_bits(
      "pytorch_fsdp.py", dp_replicate * dp_shard, dtype, changes,
      with(of_ranks, {{"parallel.dp_replicate", dp_replicate}, {"parallel.dp_shard", dp_shard}}));
}

const Json uneven = with(grouped, {{"architecture.vocab_size", 501}, {"data.global_batch", 8}});

INSTANTIATE_TEST_SUITE_P(
    Meshes, PyTorchFsdpTest,
    testing::Values(
        Sharing{"Fsdp2", "float32", 1, 2, uneven}, Sharing{"Hsdp2x2InFloat64", "float64", 2, 2, uneven},
        Sharing{"Fsdp2ReducingEachMicroBatch", "float32", 1, 2, with(uneven, {{"parallel.sync", "each"}})},
        Sharing{
            "Fsdp2UnderThePolicyOf16Bits", "float32", 1, 2, uneven, {{"parallel.mixed_precision", "bf16"}}}),
    [](const auto& sharing) { return sharing.param.name; });

/// The same with each rank's experts, to which tokens travel (pytorch_experts.py).
class PyTorchExpertsTest : public PyTorchRanksTest, public testing::WithParamInterface<Setting> {};

TEST_P(PyTorchExpertsTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits("pytorch_experts.py", 2, GetParam().dtype, GetParam().changes,
                   {{"parallel.dp_shard", 2}, {"parallel.ep", 2}});
}

TEST_P(PyTorchExpertsTest, GivesTheSameBitsWithAllExpertsOnEachRank) {
  expect_same_bits("pytorch_fsdp.py", 2, GetParam().dtype, GetParam().changes,
                   {{"parallel.dp_shard", 2}, {"parallel.dp_replicate", 1}});
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchExpertsTest,
    testing::Values(Setting{"Experts", "float32", experts},
                    Setting{"LossOfEachRank", "float32",
                            with(experts, {{"moe.balance_loss", "switch"}, {"moe.balance_loss_coeff", 0.5}})},
                    Setting{"LossOfTheWholeUpdate", "float32",
                            with(experts, {{"moe.balance_loss", "switch"},
                                           {"moe.balance_loss_coeff", 0.5},
                                           {"moe.balance_loss_scope", "global_batch"}})},
                    Setting{"GroupedMatmul", "float32", with(experts, {{"moe.matmul", "grouped_bf16"}})},
                    Setting{"Float8Block", "float32",
                            with(experts, {{"linear.recipe", "float8_block"}, {"architecture.dim", 160}})},
                    Setting{"Float8Tensor", "float32", with(experts, {{"linear.recipe", "float8_tensor"}})},
                    Setting{"SharedExpertsInFloat64", "float64",
                            with(experts, {{"moe.shared_hidden", 40}, {"moe.score", "sigmoid"}})}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
