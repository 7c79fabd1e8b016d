// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

/// Packed documents of 30 tokens on average in rows of 140, which is not a multiple of a block.
const Json packed_rows = {{"architecture.dim", 64},
                          {"architecture.n_layers", 2},
                          {"architecture.n_heads", 4},
                          {"architecture.n_kv_heads", 2},
                          {"architecture.vocab_size", 200},
                          {"architecture.ffn_hidden", 96},
                          {"data.seq_len", 140},
                          {"data.micro_batches", 2},
                          {"data.document_tokens", 30},
                          {"data.eos_id", 7},
                          {"data.positions", "document"}};

Json masked(const char* packing, const char* backend, const char* documents) {
  return with(packed_rows, {{"data.packing", packing},
                            {"attention.backend", backend},
                            {"attention.documents", Json::array({documents})}});
}

/// Block 0 without RoPE and over everything, the others in blocks of 16 tokens.
Json irope(const char* form) {
  return {
      {"architecture.nope_every", 4}, {"attention.fixed_block", 16}, {"attention.fixed_block_form", form}};
}

/// PyTorch attends with its own dense mask.
class PyTorchMaskTest : public PyTorchProgramTest {};

TEST_P(PyTorchMaskTest, GivesTheSameLossAndGradientNormWithinRounding) {
  ASSERT_NO_FATAL_FAILURE(train_both());
  // What the harness allows a float64 twin: 2^10 roundings of 2^-53.
  constexpr double most = 0x1p-43;
  for (const char* channel : {"loss", "grad_norm"}) {
    const std::vector<double> actual = channel_of(ours(), channel), expected = channel_of(theirs(), channel);
    ASSERT_EQ(actual.size(), 10U);
    for (size_t i = 0; i < 10; ++i)
      EXPECT_LE(std::abs(actual[i] - expected[i]), most * expected[i]) << channel << " at update " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Masks, PyTorchMaskTest,
    testing::Values(Setting{"FlexByEos", "float64", masked("stream", "flex", "eos")},
                    Setting{"FlexByPositionZero", "float64", masked("first_fit", "flex", "position_zero")},
                    Setting{"VarlenByPositionDifference", "float64",
                            masked("concat_then_split", "varlen", "position_difference")},
                    Setting{"FlexWithAWindow", "float64",
                            with(masked("stream", "flex", "eos"), {{"attention.sliding_window", 9}})},
                    Setting{"VarlenWithAWindow", "float64",
                            with(masked("stream", "varlen", "eos"), {{"attention.sliding_window", 9}})},
                    Setting{"FlexIRopeInFixedBlocksAsFirstWritten", "float64",
                            with(masked("stream", "flex", "eos"), irope("first_written"))},
                    Setting{"VarlenIRopeInFixedBlocksAsFirstWritten", "float64",
                            with(masked("stream", "varlen", "eos"), irope("first_written"))},
                    Setting{"FlexIRopeInFixedBlocks", "float64",
                            with(masked("stream", "flex", "eos"), irope("corrected"))}),
    name_of_setting);

/// The same operators on both sides.
class PyTorchDenseMaskTest : public PyTorchProgramTest {};

TEST_P(PyTorchDenseMaskTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits();
}

INSTANTIATE_TEST_SUITE_P(
    Masks, PyTorchDenseMaskTest,
    testing::Values(Setting{"ByEos", "float32", masked("stream", "dense", "eos")},
                    Setting{"CausalWithPositionsThatStartOver", "float32",
                            with(packed_rows, {{"data.packing", "stream"}})},
                    Setting{"ByPositionZero", "float32", masked("first_fit", "dense", "position_zero")},
                    Setting{"IRopeInFixedBlocksWithAWindow", "float32",
                            with(with(masked("stream", "dense", "eos"), irope("corrected")),
                                 {{"attention.sliding_window", 9}})},
                    Setting{"IRopeInChunks", "float32",
                            with(masked("first_fit", "dense", "position_zero"), irope("chunked"))},
                    Setting{"ByPositionDifferenceInChunks", "float32",
                            with(masked("concat_then_split", "dense", "position_difference"),
                                 {{"loss.chunks", 7}})}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
