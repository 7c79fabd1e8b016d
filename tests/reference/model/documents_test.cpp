// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents in a whole model: the content of one does not reach another, whatever the attention backend.
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

const AttentionBackend with_documents[] = {AttentionBackend::flex, AttentionBackend::varlen,
                                           AttentionBackend::dense};

Decoder model_with(AttentionBackend backend, torch::ScalarType dtype, bool documents = true) {
  AttentionChoice choice{backend, {}};
  if (documents)
    choice.rule.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  Decoder model(tiny_dimensions(), dtype, choice);
  initialize(model, 1);
  return model;
}

torch::Tensor integers(std::vector<int64_t> values) {
  return torch::tensor(values, torch::kInt64).view({1, -1});
}

torch::Tensor logits(const Decoder& model, const torch::Tensor& tokens, const torch::Tensor& positions) {
  return model.forward({tokens, positions, model.get_attention_masks(tokens, positions)});
}

class DocumentsTest : public testing::TestWithParam<AttentionBackend> {};
INSTANTIATE_TEST_SUITE_P(, DocumentsTest, testing::ValuesIn(with_documents),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

const torch::Tensor packed = integers({7, 3, 9, 21, 30, 12, 5, 8, 17, 2, 4});
const torch::Tensor positions_of_packed = integers({0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1});

TEST_P(DocumentsTest, PerturbingOneDocumentChangesNoLogitOfAnother) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
    const Decoder model = model_with(GetParam(), dtype);
    torch::Tensor perturbed = packed.clone();
    perturbed[0][1] = 33;
    const torch::Tensor before = logits(model, packed, positions_of_packed);
    const torch::Tensor after = logits(model, perturbed, positions_of_packed);
    EXPECT_TRUE(torch::equal(before.narrow(1, 4, 7), after.narrow(1, 4, 7)));
    EXPECT_FALSE(torch::equal(before.narrow(1, 1, 3), after.narrow(1, 1, 3)));
  }
}

/// tiny's blocks: 0 without RoPE, 1 with; fixed blocks of 4 tokens.
Decoder irope_with(AttentionBackend backend) {
  ModelDimensions dimensions = tiny_dimensions();
  dimensions.nope_every = 2;
  Decoder model(dimensions, torch::kFloat64, {backend, {.fixed_block = 4}});
  initialize(model, 1);
  return model;
}

TEST_P(DocumentsTest, BlocksWithoutRoPESeeBeyondTheFixedBlocks) {
  const Decoder model = irope_with(GetParam());
  const MaskSet masks = model.get_attention_masks(packed, positions_of_packed);
  ASSERT_EQ(masks.size(), 2U);
  std::map<std::string, torch::Tensor> before, after;
  const auto probe_into = [](std::map<std::string, torch::Tensor>& seen) {
    return [&seen](const std::string& name, const torch::Tensor& value) { seen[name] = value; };
  };
  torch::Tensor perturbed = packed.clone();
  perturbed[0][1] = 33;
  model.forward({packed, positions_of_packed, masks}, probe_into(before));
  model.forward({perturbed, positions_of_packed, masks}, probe_into(after));
  const auto same_from_4_on = [&](const std::string& name) {
    return torch::equal(before[name].narrow(1, 4, 7), after[name].narrow(1, 4, 7));
  };
  EXPECT_FALSE(same_from_4_on("layers.0.attention")) << "block 0 attends over the whole row";
  // In block 1 only the input from block 0 differs: with the same input, attention stays inside its blocks.
  const torch::Tensor h = torch::randn({1, 11, model.dimensions().dim}, torch::kFloat64);
  torch::Tensor other = h.clone();
  other[0][1] += 1;
  const auto block_1 = [&](const torch::Tensor& x) {
    return model.section({1, 2}, x, {packed, positions_of_packed, masks});
  };
  EXPECT_TRUE(torch::equal(block_1(h).narrow(1, 4, 7), block_1(other).narrow(1, 4, 7)));
  EXPECT_FALSE(torch::equal(block_1(h).narrow(1, 2, 2), block_1(other).narrow(1, 2, 2)));
}

TEST_P(DocumentsTest, BlocksWithoutRoPEDoNotAskForPositions) {
  const Decoder model = irope_with(GetParam());
  const torch::Tensor later = positions_of_packed + 3;
  const MaskSet masks = model.get_attention_masks(packed, positions_of_packed);
  const auto after_block_0 = [&](const torch::Tensor& positions) {
    return model.section({0, 1}, {}, {packed, positions, masks});
  };
  EXPECT_TRUE(torch::equal(after_block_0(positions_of_packed), after_block_0(packed)));
  const torch::Tensor h = torch::randn({1, 11, model.dimensions().dim}, torch::kFloat64);
  EXPECT_FALSE(torch::equal(model.section({1, 2}, h, {packed, positions_of_packed, masks}),
                            model.section({1, 2}, h, {packed, packed, masks})));
  EXPECT_TRUE(torch::allclose(model.section({1, 2}, h, {packed, positions_of_packed, masks}),
                              model.section({1, 2}, h, {packed, later, masks}), 1e-10, 1e-12))
      << "RoPE is relative";
}

TEST_P(DocumentsTest, WithoutTheMaskTheSamePerturbationIsSeen) {
  const Decoder model = model_with(GetParam(), torch::kFloat64, false);
  torch::Tensor perturbed = packed.clone();
  perturbed[0][1] = 33;
  EXPECT_FALSE(torch::allclose(logits(model, packed, positions_of_packed).narrow(1, 4, 7),
                               logits(model, perturbed, positions_of_packed).narrow(1, 4, 7)));
}

TEST_P(DocumentsTest, PackedDocumentsHaveTheLogitsTheyHaveAlone) {
  const Decoder model = model_with(GetParam(), torch::kFloat64);
  Decoder alone(tiny_dimensions(), torch::kFloat64);  // causal sdpa, positions from 0
  initialize(alone, 1);
  const torch::Tensor together = logits(model, packed, positions_of_packed);
  for (const auto& [begin, count] : {std::pair{0, 4}, {4, 5}, {9, 2}})
    EXPECT_TRUE(torch::allclose(together.narrow(1, begin, count),
                                alone.forward(packed.narrow(1, begin, count).contiguous()), 1e-11, 1e-13))
        << begin;
}

TEST_P(DocumentsTest, ConsecutivePositions_EqualNoPositions) {
  const Decoder model = model_with(GetParam(), torch::kFloat64);
  const torch::Tensor whole = torch::arange(11).view({1, 11});
  const MaskSet masks = model.get_attention_masks(packed, whole);
  EXPECT_TRUE(torch::equal(model.forward({packed, whole, masks}), model.forward({packed, {}, masks})));
}

TEST(ForwardTest, MasksOfAnotherBackendAreABrokenInvariant) {
  const Decoder model = model_with(AttentionBackend::flex, torch::kFloat32);
  EXPECT_THROW(model.forward(packed), InternalError);
}

}  // namespace
}  // namespace parity::reference
