// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/model/decoder/decoder.hpp"
#include "reference/model/trunc_normal.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

class InitTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }
  /// All weights that PyTorch draws from Python, one after another, as bytes.
  std::string from_python(const ModelDimensions& d, int seed) {
    const std::filesystem::path out = folder / "weights.bin";
    const int64_t kv_width = d.n_kv_heads * d.head_dim();
    std::string command =
        places::python + " " + places::source + "/tests/support/pytorch/pytorch_init.py " + out.string();
    command += d.initialization == Initialization::normal ? " normal" : " depth_scaled";
    for (const int64_t number : {int64_t{seed}, d.dim, d.n_layers, d.n_heads * d.head_dim(), kv_width,
                                 d.ffn_hidden, d.vocab_size, d.qk_norm ? d.head_dim() : 0, int64_t{d.tied},
                                 d.moe.experts, d.moe.hidden, d.moe.shared_hidden, d.moe.every})
      command += fmt::format(" {}", number);
    const CommandResult result = run_shell(command);
    EXPECT_EQ(result.status, 0) << result.output;
    return read_file(out);
  }
};

std::string bytes_of(const Decoder& model) {
  std::string bytes;
  for (const Parameter& parameter : model.parameters())
    bytes.append(static_cast<const char*>(parameter.value.const_data_ptr()), parameter.value.nbytes());
  return bytes;
}

void expect_same_bits(const std::string& actual, const std::string& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  size_t i = 0;
  while (i < actual.size() && actual[i] == expected[i])
    ++i;
  EXPECT_EQ(i, actual.size()) << "first difference at element " << i / sizeof(float);
}

TEST_F(InitTest, DebugModelHasTheBitsOfPyTorchForTheSameSeed) {
  const ModelDimensions dimensions = dimensions_of("llama3.debug", {});
  Decoder model(dimensions, torch::kFloat32);
  initialize(model, 42);
  expect_same_bits(bytes_of(model), from_python(dimensions, 42));
}

TEST_F(InitTest, Qwen3_SameSeed_HasTheBitsOfPyTorch) {
  ModelDimensions dimensions = dimensions_of("qwen3.debug", {.n_layers = 2, .vocab_size = 300});
  for (const Initialization scheme : {Initialization::normal, Initialization::depth_scaled})
    for (const bool tied : {true, false}) {
      dimensions.initialization = scheme;
      dimensions.tied = tied;
      Decoder model(dimensions, torch::kFloat32);
      initialize(model, 42);
      expect_same_bits(bytes_of(model), from_python(dimensions, 42));
    }
}

TEST_F(InitTest, ExpertModels_SameSeed_HaveTheBitsOfPyTorch) {
  for (const auto& [name, layers] : {std::pair("qwen3.debug_moe_8", 2), std::pair("llama4.debug", 4)}) {
    const ModelDimensions dimensions =
        dimensions_of(name, {.n_layers = layers, .vocab_size = 300}, {.experts = 4, .hidden = 40});
    Decoder model(dimensions, torch::kFloat32);
    initialize(model, 42);
    expect_same_bits(bytes_of(model), from_python(dimensions, 42));
  }
}

TEST_F(InitTest, GroupedModelHasTheBitsOfPyTorchForTheSameSeed) {
  Decoder model(tiny_dimensions(), torch::kFloat32);
  initialize(model, 7);
  const std::string ours = bytes_of(model);
  expect_same_bits(ours, from_python(tiny_dimensions(), 7));
  initialize(model, 8);
  EXPECT_NE(bytes_of(model), ours);
}

TEST(TwinInitTest, Float64HoldsTheSameNumbersWidened) {
  Decoder narrow(tiny_dimensions(), torch::kFloat32), wide(tiny_dimensions(), torch::kFloat64);
  initialize(narrow, 5);
  initialize(wide, 5);
  for (size_t i = 0; i < narrow.parameters().size(); ++i)
    EXPECT_TRUE(torch::equal(narrow.parameters()[i].value.to(torch::kFloat64), wide.parameters()[i].value))
        << narrow.parameters()[i].name;
}

TEST(TruncNormalTest, CutsAtAbsoluteBounds) {
  at::manual_seed(1);
  torch::Tensor x = torch::empty({10000});
  trunc_normal_(x, 0, 1, -0.5, 1.5);
  EXPECT_GE(x.min().item<double>(), -0.5);
  EXPECT_LE(x.max().item<double>(), 1.5);
  EXPECT_GT(x.max().item<double>(), 1.4);
  // Mean of a normal cut to (-0.5, 1.5): (phi(-0.5) - phi(1.5)) / (Phi(1.5) - Phi(-0.5)) = 0.3556;
  // its standard deviation 0.53 over 100 gives the tolerance, four of it.
  EXPECT_NEAR(x.mean().item<double>(), 0.3556, 0.021);
}

}  // namespace
}  // namespace parity::reference
