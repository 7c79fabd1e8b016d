// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// How the models stretch RoPE's frequencies, by their formulas and against PyTorch.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/model/decoder/rope.hpp"
#include "tests/reference/model/model_facts.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

/// One head of 64 elements, at DeepSeek-V3's theta.
ModelDimensions scaled_dimensions(RopeScaling scaling) {
  return {.dim = 64, .n_heads = 1, .max_seq_len = 8, .rope_theta = 1e4, .rope_scaling = scaling};
}

double unscaled(int64_t j) {
  return std::pow(1e4, -2.0 * static_cast<double>(j) / 64);
}

/// The angle of position 1 that a table has for pair j; below pi for every frequency.
TEST(RopeScalingTest, Yarn_KeepsPairsTo10AndStretchesThoseFrom23) {
  const torch::Tensor table = rope_table(scaled_dimensions(RopeScaling::yarn), torch::kFloat64);
  // c(32) = 10.47 and c(1) = 22.51 of 64 elements, theta 1e4 and 4096 positions.
  for (int64_t j = 0; j < 32; ++j) {
    const double share = std::clamp((static_cast<double>(j) - 10) / 13, 0.0, 1.0);
    EXPECT_NEAR(frequency(table, j), unscaled(j) * (share / 40 + 1 - share), 1e-15) << j;
  }
  EXPECT_LT(frequency(table, 11), 0.95 * unscaled(11));
  EXPECT_GT(frequency(table, 22), 1.1 * unscaled(22) / 40);
}

TEST(RopeScalingTest, YarnOfFewPairsHasItsEndsInsideTheHead) {
  ModelDimensions d = scaled_dimensions(RopeScaling::yarn);
  d.n_heads = 16;  // of 4 elements: c(32) = 0.65, c(1) = 1.41
  const torch::Tensor table = rope_table(d, torch::kFloat64);
  EXPECT_NEAR(frequency(table, 0), 1, 1e-15);
  EXPECT_NEAR(frequency(table, 1), 1e-2 * (0.5 / 40 + 0.5), 1e-15) << "half of the way from 0 to 2";
  d.rope_theta = 1e30;  // both ends at 0: they are set apart, so that nothing is 0 / 0
  EXPECT_NEAR(frequency(rope_table(d, torch::kFloat64), 0), 1, 1e-15);
  EXPECT_NEAR(frequency(rope_table(d, torch::kFloat64), 1), 1e-15 / 40, 1e-30);
}

TEST(RopeScalingTest, Llama4StretchesLongWavesAndBlendsNone) {
  const torch::Tensor table = rope_table(scaled_dimensions(RopeScaling::llama4), torch::kFloat64);
  int kept = 0, stretched = 0;
  for (int64_t j = 0; j < 32; ++j) {
    const bool is_long = 2 * std::numbers::pi / unscaled(j) > 8192;
    EXPECT_NEAR(frequency(table, j), is_long ? unscaled(j) / 16 : unscaled(j), 1e-15) << j;
    (is_long ? stretched : kept) += 1;
  }
  EXPECT_TRUE(kept > 20 && stretched > 5) << kept << " " << stretched;
}

TEST(RopeScalingTest, LatentHead_TableHoldsRotatedElementsOnly) {
  ModelDimensions d = scaled_dimensions(RopeScaling::yarn);
  const torch::Tensor own = rope_table(d, torch::kFloat64);
  d.dim = 100;
  d.head_width = 192;
  d.latent = {.kv_rank = 8, .nope_width = 128, .rope_width = 64, .value_width = 128};
  EXPECT_TRUE(rope_table(d, torch::kFloat64).equal(own));
}

TEST(RopeScalingTest, LatentScale_IsHeadScaleTimesMscaleSquared) {
  ModelDimensions d = scaled_dimensions(RopeScaling::yarn);
  d.head_width = 192;
  d.latent = {.kv_rank = 8, .nope_width = 128, .rope_width = 64, .value_width = 128, .mscale = 0.7};
  EXPECT_NEAR(latent_scale(d), 0.114252, 5e-7);  // NUMERICS.md 4.4
  EXPECT_NEAR(latent_scale(d), 1.258222 * 1.258222 / std::sqrt(192.0), 1e-7);
  d.rope_scaling = RopeScaling::none;
  EXPECT_NEAR(latent_scale(d), 1 / std::sqrt(192.0), 1e-16);
}

using RopeWitnessTest = FolderTest;

TEST_F(RopeWitnessTest, TablesHaveTheBitsOfPyTorch) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  std::map<std::string, torch::Tensor> tables;  // by file of PyTorch's
  std::string lines;
  for (const auto& [scaling, name] :
       {std::pair(RopeScaling::none, "none"), std::pair(RopeScaling::llama3, "llama"),
        std::pair(RopeScaling::llama4, "llama4"), std::pair(RopeScaling::yarn, "yarn")})
    for (const Rope layout : {Rope::complex, Rope::rotate_half}) {
      ModelDimensions d = scaled_dimensions(scaling);
      d.max_seq_len = 300;
      d.rope = layout;
      const bool narrow = layout == Rope::complex;
      const std::string words = fmt::format("{}_{}", name, narrow ? "complex" : "rotate_half");
      tables[words] = rope_table(d, narrow ? torch::kFloat32 : torch::kFloat64);
      lines += fmt::format("{} {} {} {} {} {} {}\n", words, name, d.rope_dim(), d.max_seq_len, d.rope_theta,
                           narrow ? "float32" : "float64", narrow ? "complex" : "rotate_half");
    }
  write_file(folder / "lines", lines);
  const CommandResult result =
      run_shell(fmt::format("cd '{}' && {} {}/tests/support/pytorch/pytorch_rope.py < lines", folder.string(),
                            places::python, places::source));
  ASSERT_EQ(result.status, 0) << result.output;
  ASSERT_EQ(tables.size(), 8);
  for (const auto& [file, table] : tables) {
    const std::string ours(static_cast<const char*>(table.const_data_ptr()), table.nbytes());
    EXPECT_TRUE(ours == read_file(folder / file)) << file;
  }
}

}  // namespace
}  // namespace parity::reference
