// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Every backend against the formula written out, over any documents and shapes.
#include <limits>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <torch/autograd.h>

#include "reference/attention/attention.hpp"

namespace parity::reference {
namespace {

/// softmax(q k^T scale + mask) v by plain operations.
torch::Tensor by_formula(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                         const Mask& mask, double scale) {
  const int64_t S = mask.seq_len;
  const torch::Tensor allowed = torch::empty({mask.rows, 1, S, S}, torch::kBool);
  auto* out = allowed.data_ptr<bool>();
  for (int64_t b = 0; b < mask.rows; ++b)
    for (int64_t i = 0; i < S; ++i)
      for (int64_t j = 0; j < S; ++j)
        *out++ = mask.allows(b, i, j);
  const int64_t sharing = q.size(1) / k.size(1);
  const torch::Tensor scores = torch::matmul(q, k.repeat_interleave(sharing, 1).transpose(2, 3)) * scale;
  return torch::matmul(
      torch::softmax(scores.masked_fill(~allowed, -std::numeric_limits<double>::infinity()), -1),
      v.repeat_interleave(sharing, 1));
}

RC_GTEST_PROP(BackendProperty, OutputAndGradientsFollowTheFormula, ()) {
  const auto S = *rc::gen::element<int64_t>(1, 3, 40, 128, 130, 300);
  const auto B = *rc::gen::inRange<int64_t>(1, 4);
  const auto key_heads = *rc::gen::inRange<int64_t>(1, 3);
  const auto sharing = *rc::gen::inRange<int64_t>(1, 3);
  const auto starts = *rc::gen::container<std::vector<int64_t>>(
      static_cast<size_t>(B * S), rc::gen::inRange<int64_t>(0, *rc::gen::element<int64_t>(3, 30, 400)));
  const auto value_width = *rc::gen::element<int64_t>(4, 1, 6);
  const auto scale = *rc::gen::element<std::optional<double>>(std::nullopt, 0.3, 1.7);
  torch::manual_seed(*rc::gen::inRange(0, 1000));
  MaskRule rule{.sliding_window = *rc::gen::element<int64_t>(0, 1, 7, 64, 129),
                .fixed_block = *rc::gen::element<int64_t>(0, 1, 16, 150),
                .fixed_block_form = *rc::gen::element(
                    FixedBlockForm::corrected, FixedBlockForm::first_written, FixedBlockForm::chunked)};
  if (*rc::gen::arbitrary<bool>())
    rule.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  const Mask mask = make_mask(rule, starts, starts, S);
  torch::Tensor inputs[] = {torch::randn({B, key_heads * sharing, S, 4}, torch::kFloat64),
                            torch::randn({B, key_heads, S, 4}, torch::kFloat64),
                            torch::randn({B, key_heads, S, value_width}, torch::kFloat64)};
  for (torch::Tensor& input : inputs)
    input.requires_grad_(true);
  const torch::Tensor weights = torch::randn({B, key_heads * sharing, S, value_width}, torch::kFloat64);
  const torch::Tensor expected = by_formula(inputs[0], inputs[1], inputs[2], mask, scale.value_or(0.5));
  const auto expected_gradients =
      torch::autograd::grad({(expected * weights).sum()}, {inputs[0], inputs[1], inputs[2]});
  for (const AttentionBackend backend :
       {AttentionBackend::flex, AttentionBackend::varlen, AttentionBackend::dense, AttentionBackend::tiled}) {
    const torch::Tensor out = attend(inputs[0], inputs[1], inputs[2], masks_for(backend, mask), scale);
    const auto gradients = torch::autograd::grad({(out * weights).sum()}, {inputs[0], inputs[1], inputs[2]});
    RC_ASSERT(torch::allclose(out, expected, 1e-12, 1e-13));
    for (size_t i = 0; i < 3; ++i)
      RC_ASSERT(torch::allclose(gradients[i], expected_gradients[i], 1e-11, 1e-12));
  }
}

}  // namespace
}  // namespace parity::reference
