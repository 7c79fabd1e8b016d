// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/vocabulary_cross_entropy.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/loss/token_cross_entropy.hpp"
#include "reference/parallel/core/parts.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class VocabularyCrossEntropyTest : public RanksTest {
 protected:
  struct Result {
    torch::Tensor loss;
    torch::Tensor gradient;
  };

  static Result of_whole(const torch::Tensor& logits, const torch::Tensor& labels) {
    const torch::Tensor leaf = logits.clone().requires_grad_();
    const torch::Tensor loss = token_cross_entropy_sum(leaf, labels) / 3;
    loss.backward();
    return {loss, leaf.grad()};
  }

  static Result of_parts(const torch::Tensor& logits, const torch::Tensor& labels,
                         const GroupPointer& ranks) {
    const torch::Tensor leaf = own_part(logits, -1, *ranks).contiguous().requires_grad_();
    const torch::Tensor loss = vocabulary_cross_entropy(leaf, labels, logits.size(-1), ranks).sum() / 3;
    loss.backward();
    return {loss, gather_parts(leaf.grad(), logits.dim() - 1, logits.size(-1), *ranks)};
  }

  static torch::Tensor random_logits(at::IntArrayRef shape, torch::ScalarType dtype) {
    at::manual_seed(3);
    return at::randn(shape, torch::kFloat64).mul_(3).to(dtype);
  }

  static void expect_near(const torch::Tensor& a, const torch::Tensor& b, double tolerance) {
    require(a.scalar_type() == b.scalar_type() && a.allclose(b, tolerance, tolerance), "another result");
  }
};

TEST_F(VocabularyCrossEntropyTest, ByHandForTwoTokensAndThreeWordsOnTwoRanks) {
  // Rank 0 has two entries of the vocabulary, rank 1 has one. p = (1, 2, 3) / 6 for the first token, (1/3,
  // 1/3, 1/3) for the second.
  EXPECT_THAT(
      run_ranks(2,
                [](Group& world) {
                  const torch::Tensor logits =
                      torch::tensor({1.0, 2.0, 3.0, 7.0, 7.0, 7.0}, torch::kFloat64).log().view({2, 3});
                  const Result r = of_parts(logits, torch::tensor({2, 0}), held(world));
                  expect_near(r.loss * 3, torch::tensor(std::log(2.0) + std::log(3.0), torch::kFloat64),
                              1e-15);
                  const torch::Tensor dx =
                      torch::tensor({1 / 6., 2 / 6., -3 / 6., -2 / 3., 1 / 3., 1 / 3.}, torch::kFloat64);
                  expect_near(r.gradient * 3, dx.view({2, 3}), 1e-15);
                }),
      Each(""));
}

TEST_F(VocabularyCrossEntropyTest, IsTheCrossEntropyOfTheWholeLogits) {
  const auto body = [](Group& world) {
    for (const int64_t vocabulary : {7, 8, 10, 41})
      for (const auto dtype : {torch::kFloat64, torch::kFloat32}) {
        const torch::Tensor logits = random_logits({2, 5, vocabulary}, dtype);
        torch::Tensor labels = torch::arange(10).remainder(vocabulary).view({2, 5});
        labels.index_put_({0, 1}, -100);
        const Result a = of_whole(logits, labels), b = of_parts(logits, labels, held(world));
        const double tolerance = dtype == torch::kFloat64 ? 1e-14 : 1e-5;
        expect_near(a.loss, b.loss, tolerance);
        expect_near(a.gradient, b.gradient, tolerance);
        require(b.gradient[0][1].eq(0).all().item<bool>(), "a label that does not count has a gradient");
      }
  };
  EXPECT_THAT(run_ranks(2, body), Each(""));
  EXPECT_THAT(run_ranks(4, body), Each(""));
}

TEST_F(VocabularyCrossEntropyTest, LogitsFarApartNeitherOverflowNorVanish) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const torch::Tensor logits =
                              torch::tensor({1e4, 0.0, -1e4, 9999.0}, torch::kFloat32);
                          const torch::Tensor labels = torch::tensor({2});
                          const Result a = of_whole(logits.view({1, 4}), labels);
                          const Result b = of_parts(logits.view({1, 4}), labels, held(world));
                          expect_near(a.loss, b.loss, 1e-6);
                          expect_near(a.gradient, b.gradient, 1e-6);
                        }),
              Each(""));
}

TEST_F(VocabularyCrossEntropyTest, WithoutALabelThatCountsItIsZero) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const Result r = of_parts(random_logits({3, 4}, torch::kFloat32),
                                                    torch::full({3}, -100, torch::kInt64), held(world));
                          require(r.loss.item<float>() == 0 && r.gradient.eq(0).all().item<bool>(),
                                  "not zero");
                        }),
              Each(""));
}

TEST_F(VocabularyCrossEntropyTest, ANumberThatIsNotFiniteOnOneRankIsSeenOnAll) {
  const auto body = [](Group& world) {
    for (const int64_t word : {0, 3})
      for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        torch::Tensor logits = torch::zeros({1, 4}, torch::kFloat64);
        logits.index_put_({0, word}, bad);
        const Result r = of_parts(logits, torch::tensor({1}), held(world));
        require(!std::isfinite(r.loss.item<double>()), "finite");
      }
  };
  EXPECT_THAT(run_ranks(2, body), Each(""));
}

TEST_F(VocabularyCrossEntropyTest, LogitsOfAnotherLengthThanThePartAreRefused) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          world.barrier();  // both have met before one of them ends
                          vocabulary_cross_entropy(torch::zeros({1, 4}), torch::tensor({1}), 6, held(world));
                        }),
              Each(HasSubstr("logits of 4 vocabulary entries where a rank holds 3")));
}

}  // namespace
}  // namespace parity::reference
