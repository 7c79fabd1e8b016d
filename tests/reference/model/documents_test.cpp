// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents in a whole model: what one holds does not reach another, however attention is worked out.
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/model/llama3/llama3.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

const AttentionBackend with_documents[] = {AttentionBackend::flex, AttentionBackend::varlen,
                                           AttentionBackend::dense};

Llama3 model_with(AttentionBackend backend, torch::ScalarType dtype, bool documents = true) {
  AttentionChoice choice{backend, {}};
  if (documents)
    choice.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  Llama3 model(tiny_dimensions(), dtype, choice);
  initialize(model, 1);
  return model;
}

torch::Tensor integers(std::vector<int64_t> values) {
  return torch::tensor(values, torch::kInt64).view({1, -1});
}

torch::Tensor logits(const Llama3& model, const torch::Tensor& tokens, const torch::Tensor& positions) {
  return model.forward({tokens, positions, model.get_attention_masks(tokens, positions)});
}

class DocumentsTest : public testing::TestWithParam<AttentionBackend> {};
INSTANTIATE_TEST_SUITE_P(, DocumentsTest, testing::ValuesIn(with_documents),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

const torch::Tensor packed = integers({7, 3, 9, 21, 30, 12, 5, 8, 17, 2, 4});
const torch::Tensor positions_of_packed = integers({0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1});

TEST_P(DocumentsTest, PerturbingOneDocumentChangesNoLogitOfAnother) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
    const Llama3 model = model_with(GetParam(), dtype);
    torch::Tensor perturbed = packed.clone();
    perturbed[0][1] = 33;
    const torch::Tensor before = logits(model, packed, positions_of_packed);
    const torch::Tensor after = logits(model, perturbed, positions_of_packed);
    EXPECT_TRUE(torch::equal(before.narrow(1, 4, 7), after.narrow(1, 4, 7)));
    EXPECT_FALSE(torch::equal(before.narrow(1, 1, 3), after.narrow(1, 1, 3)));
  }
}

TEST_P(DocumentsTest, WithoutTheMaskTheSamePerturbationIsSeen) {
  const Llama3 model = model_with(GetParam(), torch::kFloat64, false);
  torch::Tensor perturbed = packed.clone();
  perturbed[0][1] = 33;
  EXPECT_FALSE(torch::allclose(logits(model, packed, positions_of_packed).narrow(1, 4, 7),
                               logits(model, perturbed, positions_of_packed).narrow(1, 4, 7)));
}

TEST_P(DocumentsTest, PackedDocumentsHaveTheLogitsTheyHaveAlone) {
  const Llama3 model = model_with(GetParam(), torch::kFloat64);
  Llama3 alone(tiny_dimensions(), torch::kFloat64);  // causal sdpa, positions from 0
  initialize(alone, 1);
  const torch::Tensor together = logits(model, packed, positions_of_packed);
  for (const auto& [begin, count] : {std::pair{0, 4}, {4, 5}, {9, 2}})
    EXPECT_TRUE(torch::allclose(together.narrow(1, begin, count),
                                alone.forward(packed.narrow(1, begin, count).contiguous()), 1e-11, 1e-13))
        << begin;
}

TEST_P(DocumentsTest, PositionsThatCountThroughTheRowGiveWhatNoPositionsGive) {
  const Llama3 model = model_with(GetParam(), torch::kFloat64);
  const torch::Tensor whole = torch::arange(11).view({1, 11});
  const AttentionMasks masks = model.get_attention_masks(packed, whole);
  EXPECT_TRUE(torch::equal(model.forward({packed, whole, masks}), model.forward({packed, {}, masks})));
}

TEST(ForwardTest, MasksOfAnotherBackendAreABrokenInvariant) {
  const Llama3 model = model_with(AttentionBackend::flex, torch::kFloat32);
  EXPECT_THROW(model.forward(packed), InternalError);
}

}  // namespace
}  // namespace parity::reference
