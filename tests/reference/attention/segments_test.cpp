// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Segments with more keys than queries: varlen and tiled with kept keys.
#include <gtest/gtest.h>

#include <torch/types.h>

#include "reference/attention/attention.hpp"

namespace parity::reference {
namespace {

struct Inputs {
  torch::Tensor q, k, v;
};

/// One row of 70 tokens, 4 heads on 2.
Inputs draw(torch::ScalarType dtype) {
  torch::manual_seed(3);
  const auto random = [&](int64_t heads, int64_t width) {
    return torch::randn({1, heads, 70, width}, torch::kFloat64).to(dtype);
  };
  return {random(4, 6), random(2, 6), random(2, 5)};
}

AttentionMasks masks(AttentionBackend backend, std::vector<int64_t> cu_seqlens, std::vector<Range> keys,
                     int64_t window = 0) {
  AttentionMasks result{.backend = backend};
  result.cu_seqlens = std::move(cu_seqlens);
  result.keys = std::move(keys);
  result.sliding_window = window;
  return result;
}

/// Attention of the whole row, and of its queries in two passes, [0, cut) and [cut, 70), over the keys so
/// far, which the second pass finds after 9 others.
std::pair<torch::Tensor, torch::Tensor> whole_and_in_two(AttentionBackend backend, const Inputs& x,
                                                         int64_t cut, int64_t window) {
  const torch::Tensor whole = attend(x.q, x.k, x.v, masks(backend, {0, 70}, {}, window));
  const auto first = [&](const torch::Tensor& all) { return all.narrow(2, 0, cut); };
  const auto kept = [](const torch::Tensor& all) { return at::cat({all.narrow(2, 30, 9), all}, 2); };
  const torch::Tensor one = attend(first(x.q), first(x.k), first(x.v), masks(backend, {0, cut}, {}, window));
  const torch::Tensor two = attend(x.q.narrow(2, cut, 70 - cut), kept(x.k), kept(x.v),
                                   masks(backend, {0, 70 - cut}, {{9, 70}}, window));
  return {whole, at::cat({one, two}, 2)};
}

class SegmentsTest : public testing::TestWithParam<AttentionBackend> {};
INSTANTIATE_TEST_SUITE_P(, SegmentsTest, testing::Values(AttentionBackend::varlen, AttentionBackend::tiled),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST_P(SegmentsTest, TwoPassesOverCachedKeys_EqualOnePass) {
  const Inputs x = draw(torch::kFloat64);
  for (const int64_t window : {0, 7, 40})
    for (const int64_t cut : {1, 16, 33, 64, 69}) {
      const auto [whole, in_two] = whole_and_in_two(GetParam(), x, cut, window);
      EXPECT_TRUE(torch::allclose(in_two, whole, 1e-13, 1e-14)) << window << " " << cut;
    }
}

TEST(TiledTest, TheyAreSoBitForBitInEveryType) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64, torch::kBFloat16})
    for (const int64_t window : {0, 7, 40})
      for (int64_t cut = 1; cut < 70; ++cut) {
        const auto [whole, in_two] = whole_and_in_two(AttentionBackend::tiled, draw(dtype), cut, window);
        ASSERT_TRUE(in_two.equal(whole)) << dtype << " " << window << " " << cut;
      }
}

TEST(TiledTest, SegmentsSideBySideAreEachAlone) {
  const Inputs x = draw(torch::kFloat32);
  const std::vector<int64_t> begins = {0, 1, 18, 34, 67, 70};
  const torch::Tensor together = attend(x.q, x.k, x.v, masks(AttentionBackend::tiled, begins, {}));
  for (size_t i = 1; i < begins.size(); ++i) {
    const int64_t begin = begins[i - 1], count = begins[i] - begin;
    const auto own = [&](const torch::Tensor& all) { return all.narrow(2, begin, count); };
    const torch::Tensor alone =
        attend(own(x.q), own(x.k), own(x.v), masks(AttentionBackend::tiled, {0, count}, {}));
    EXPECT_TRUE(own(together).equal(alone)) << i;
  }
}

TEST(TiledTest, ANaNOfOneKeyReachesTheQueriesThatLookAtItOnly) {
  const Inputs x = draw(torch::kFloat32);
  x.k[0][1][20].fill_(NAN);
  const torch::Tensor out = attend(x.q, x.k, x.v, masks(AttentionBackend::tiled, {0, 30, 70}, {}));
  const torch::Tensor bad = out.isnan().any(3)[0];  // [H, S]
  for (int64_t head = 0; head < 4; ++head)
    for (int64_t place = 0; place < 70; ++place)
      EXPECT_EQ(bad[head][place].item<bool>(), head >= 2 && place >= 20 && place < 30)
          << head << " " << place;
}

TEST(TiledTest, HugeScoresDoNotOverflow) {
  const torch::Tensor q = torch::full({1, 1, 20, 1}, 1e4F), v = torch::arange(20.0F).view({1, 1, 20, 1});
  const torch::Tensor k = torch::linspace(-1e4F, 1e4F, 20).view({1, 1, 20, 1});
  const torch::Tensor out = attend(q, k, v, masks(AttentionBackend::tiled, {0, 20}, {}));
  EXPECT_TRUE(out.equal(v)) << "the highest score is always the last: " << out;
}

}  // namespace
}  // namespace parity::reference
