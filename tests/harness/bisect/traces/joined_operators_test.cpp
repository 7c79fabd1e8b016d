// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of sides with other layouts: their numbers, and their tensors joined over ranks and
// micro-batches.
#include "harness/bisect/traces/joined_operators.hpp"

#include <utility>

#include <gmock/gmock.h>

#include "harness/bisect/traces/scalar_arguments.hpp"
#include "tests/harness/bisect/traces/side_ranks.hpp"

namespace parity::bisect {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using trace::Phase;

constexpr double rounding = 1e-6;

class JoinedOperatorsTest : public SideRanksTest {
 protected:
  static RankOffer number(Phase phase, const std::string& name, double value, DType dtype = DType::float64) {
    return {phase, name, {value}, Shape{}, dtype};
  }
  /// The optimizer of a run whose ranks hold shards: each calls the operator for its parameters.
  trace::Trace optimizer(const std::string& file, int64_t ranks, double lr, double eps = 1e-8,
                         int64_t size = 10) const {
    return side(file, ranks, [=](int64_t rank, int64_t step) {
      std::vector<RankOffer> offers;
      if (step == 0)
        return offers;
      for (int64_t call = 0; call < ranks; ++call) {
        const std::string op = "optimizer@" + std::to_string(call) + ":aten::_fused_adamw_:in.";
        const auto add = [&](const std::string& argument, double value, DType dtype = DType::float64) {
          offers.push_back(number(Phase::optim, operator_name(op + argument, rank, ranks), value, dtype));
        };
        add("lr", lr);
        add("eps", eps);
        add("weight_decay", -0.1);
        add("chunk", static_cast<double>(size), DType::int64);
        add("state_steps[0]", static_cast<double>(step), DType::float32);
      }
      return offers;
    });
  }
  static constexpr trace::TensorKey moment() { return {2, Phase::optim, "exp_avg/output.weight"}; }

  /// x [4, 2] times W^T [2, 4]. One rank has all; two ranks have the halves of W's rows (columns of the
  /// result) or of x's rows.
  enum class Cut { none, columns, rows };
  trace::Trace product(const std::string& file, Cut cut, double result_factor = 1,
                       double input_factor = 1) const {
    const int64_t ranks = cut == Cut::none ? 1 : 2;
    return side(file, ranks, [=](int64_t rank, int64_t step) -> std::vector<RankOffer> {
      if (step == 0)
        return {};
      const int64_t first_row = cut == Cut::rows ? 2 * rank : 0, rows = cut == Cut::rows ? 2 : 4;
      const int64_t first_column = cut == Cut::columns ? 2 * rank : 0, columns = cut == Cut::columns ? 2 : 4;
      std::vector<double> x, w, y;
      for (int64_t i = first_row; i < first_row + rows; ++i)
        for (int64_t k = 0; k < 2; ++k)
          x.push_back(input_factor * static_cast<double>(i + k + 1));
      for (int64_t k = 0; k < 2; ++k)
        for (int64_t j = first_column; j < first_column + columns; ++j)
          w.push_back(static_cast<double>(2 * k - j));
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          y.push_back(result_factor * (x[2 * i] * w[j] + x[2 * i + 1] * w[columns + j]));
      const auto named = [&](const std::string& slot) {
        return operator_name("layers.0.wq@0:aten::mm:" + slot, rank, ranks);
      };
      return {{Phase::forward, named("in.self"), x, {rows, 2}},
              {Phase::forward, named("in.mat2"), w, {2, columns}},
              {Phase::forward, named("out.0"), y, {rows, columns}}};
    });
  }
  static constexpr trace::TensorKey result() { return {2, Phase::forward, "layers.0.wq"}; }
};

TEST_F(JoinedOperatorsTest, OtherRate_IsNamedAcrossLayouts) {
  const auto found =
      find_joined_operator(optimizer("a", 1, 0.0048), optimizer("b", 2, 0.008), moment(), rounding);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text(), "aten::_fused_adamw_ of optimizer receives a different lr: 0.0048 against 0.008");
  EXPECT_EQ(found->to_json().at("slot"), "lr");
}

TEST_F(JoinedOperatorsTest, EachNumber_IsCompared) {
  const trace::Trace one = optimizer("a", 1, 0.1);
  const auto eps = compare_scalars(one, optimizer("b", 4, 0.1, 1e-6), 1);
  ASSERT_EQ(eps.size(), 1U);
  EXPECT_EQ(eps.front().argument, "eps");
  EXPECT_EQ(eps.front().numbers(), "1e-08 against 1e-06");
  const auto sign = compare_scalars(one, optimizer("c", 2, -0.1), 2);
  ASSERT_EQ(sign.size(), 1U);
  EXPECT_EQ(sign.front().numbers(), "0.1 against -0.1");
}

TEST_F(JoinedOperatorsTest, EqualNumbers_DoNotDiffer) {
  EXPECT_THAT(compare_scalars(optimizer("a", 1, 0.1), optimizer("b", 4, 0.1), 2), IsEmpty());
  EXPECT_FALSE(find_joined_operator(optimizer("c", 1, 0.1), optimizer("d", 2, 0.1), moment(), rounding));
}

TEST_F(JoinedOperatorsTest, Sizes_FollowFromTheLayout) {
  EXPECT_THAT(compare_scalars(optimizer("a", 1, 0.1, 1e-8, 64), optimizer("b", 2, 0.1, 1e-8, 32), 2),
              IsEmpty());
}

TEST_F(JoinedOperatorsTest, DivisorOfTheLoss_MayFollowFromTheLayout) {
  const auto loss = [&](const std::string& file, int64_t ranks) {
    return side(file, ranks, [=](int64_t rank, int64_t) {
      return std::vector{number(Phase::forward, operator_name("loss@0:aten::div:in.other", rank, ranks),
                                static_cast<double>(ranks))};
    });
  };
  const auto found = compare_scalars(loss("a", 1), loss("b", 2), 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(is_free_of_layout(found.front()));
}

TEST_F(JoinedOperatorsTest, WrongProduct_IsNamedInEveryLayout) {
  int number = 0;
  for (const Cut cut : {Cut::columns, Cut::rows})
    for (const double factor : {1.01, -1.0, 0.0}) {
      const std::string file = std::to_string(number++);
      const auto found = find_joined_operator(product("a" + file, Cut::none),
                                              product("b" + file, cut, factor), result(), rounding);
      ASSERT_TRUE(found) << factor;
      EXPECT_EQ(found->text(), "aten::mm of layers.0.wq gives a different result from the same inputs");
      EXPECT_EQ(found->slot, "0");
    }
}

TEST_F(JoinedOperatorsTest, RightProduct_IsNot) {
  for (const Cut cut : {Cut::columns, Cut::rows})
    EXPECT_FALSE(find_joined_operator(product("a" + std::to_string(static_cast<int>(cut)), Cut::none),
                                      product("b" + std::to_string(static_cast<int>(cut)), cut), result(),
                                      rounding));
}

/// Ranks stack the norms of their shards, which no way to join makes those of the whole.
TEST_F(JoinedOperatorsTest, OtherTensorsWithoutDimensions_AreUnknownInputs) {
  const auto stack = [&](const std::string& file, int64_t ranks) {
    return side(file, ranks, [=](int64_t rank, int64_t) -> std::vector<RankOffer> {
      const auto named = [&](const std::string& slot) {
        return operator_name("clip@0:aten::stack:" + slot, rank, ranks);
      };
      const double share = ranks == 1 ? 1 : 0.8;
      return {number(Phase::grad_clipped, named("in.tensors[0]"), 3 * share, DType::float32),
              number(Phase::grad_clipped, named("in.tensors[1]"), 4 * share, DType::float32),
              {Phase::grad_clipped, named("out.0"), {3 * share, 4 * share}}};
    });
  };
  EXPECT_FALSE(
      find_joined_operator(stack("a", 1), stack("b", 2), {2, Phase::grad_clipped, "norm.weight"}, rounding));
}

/// The norm of a shard is not a shard of the norm.
TEST_F(JoinedOperatorsTest, ReductionsOfShards_AreNotJudged) {
  const auto norm = [&](const std::string& file, int64_t ranks) {
    return side(file, ranks, [=](int64_t rank, int64_t) -> std::vector<RankOffer> {
      const auto named = [&](const std::string& slot) {
        return operator_name("clip@0:aten::linalg_vector_norm:" + slot, rank, ranks);
      };
      const std::vector<double> values = {3, 4};
      if (ranks == 1)
        return {{Phase::grad_clipped, named("in.self"), values},
                {Phase::grad_clipped, named("out.0"), {5}, Shape{}}};
      const double own = values[static_cast<size_t>(rank)];
      return {{Phase::grad_clipped, named("in.self"), {own}},
              {Phase::grad_clipped, named("out.0"), {own}, Shape{}}};
    });
  };
  EXPECT_FALSE(
      find_joined_operator(norm("a", 1), norm("b", 2), {2, Phase::grad_clipped, "norm.weight"}, rounding));
}

TEST_F(JoinedOperatorsTest, OtherOperators_AreNamedBeforeTheTensor) {
  const auto rope = [&](const std::string& file, int64_t ranks, const std::string& op, bool after = false) {
    const std::vector<double> k = {1, ranks == 1 ? 2.0 : 3.0};
    return side(file, ranks, [=](int64_t rank, int64_t) {
      std::vector<RankOffer> offers = {
          {Phase::forward, operator_name("layers.0.attention@0:" + op + ":out.0", rank, ranks), k},
          {Phase::forward, "layers.0.attention.k", k}};
      if (after)
        std::swap(offers[0], offers[1]);
      return offers;
    });
  };
  const trace::TensorKey k{2, Phase::forward, "layers.0.attention.k"};
  const auto found = find_joined_operator(rope("a", 1, "aten::mul"), rope("b", 2, "aten::neg"), k, rounding);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text(),
            "the sides run different operators from here: aten::mul of layers.0.attention against aten::neg");
  EXPECT_FALSE(find_joined_operator(rope("g", 1, "aten::clone"), rope("h", 2, "aten::copy_"), k, rounding));
  EXPECT_EQ(find_joined_operator(rope("i", 1, "aten::clone"), rope("j", 2, "aten::neg"), k, rounding)->text(),
            "only the second side runs aten::neg of layers.0.attention");
  EXPECT_FALSE(find_joined_operator(rope("c", 1, "aten::mul"), rope("d", 2, "aten::mul"), k, rounding));
  EXPECT_FALSE(
      find_joined_operator(rope("e", 1, "aten::mul", true), rope("f", 2, "aten::neg", true), k, rounding));
}

struct Step {
  std::string op;
  std::vector<double> result;
};

/// A module runs operators one after the other. The second side cuts its tensors into halves.
class RightResultTest : public JoinedOperatorsTest {
 protected:
  static constexpr trace::TensorKey y() { return {2, Phase::forward, "layers.0.norm"}; }
  /// \param tensor  what is recorded as the module's result
  trace::Trace norm(const std::string& file, int64_t ranks, const std::vector<Step>& ops,
                    const std::vector<double>& tensor) const {
    return side(file, ranks, [=](int64_t rank, int64_t) {
      const auto size = static_cast<int64_t>(tensor.size()) / ranks;
      const auto share = [&](const std::vector<double>& whole) {
        return std::vector<double>(whole.begin() + rank * size, whole.begin() + (rank + 1) * size);
      };
      TensorLayout layout;
      if (ranks > 1)
        layout = {{size * ranks}, {{"tp", rank, ranks, Shard{0, {{rank * size, rank * size + size}}}}}};
      std::vector<RankOffer> offers;
      int64_t number = 0;
      for (const Step& step : ops) {
        const std::string call = "layers.0.norm@" + std::to_string(number++) + ":" + step.op;
        offers.push_back(
            {Phase::forward, operator_name(call + ":in.self", rank, ranks), share({1, 2, 3, 4})});
        offers.push_back({Phase::forward, operator_name(call + ":out.0", rank, ranks), share(step.result)});
      }
      offers.push_back({Phase::forward, "layers.0.norm", share(tensor), Shape{-1}, DType::float32, layout});
      return offers;
    });
  }
  const std::vector<double> right{2, 4, 6, 8}, wrong{2, 4, 6, 9}, other{1, 1, 2, 2}, others{1, 1, 2, 7};
};

TEST_F(RightResultTest, ChangedAfterIt_NoOperatorIsGuilty) {
  const auto found = find_joined_operator(norm("a", 1, {{"aten::mul", right}}, right),
                                          norm("b", 2, {{"aten::mul", right}}, wrong), y(), rounding);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FirstBadOperator::Kind::written);
}

TEST_F(RightResultTest, OperatorsBeforeIt_AreInnocent) {
  const auto expected = norm("a", 1, {{"aten::div_", other}, {"aten::mul", right}}, right);
  const auto changed = find_joined_operator(
      expected, norm("b", 2, {{"aten::div_", others}, {"aten::mul", right}}, wrong), y(), rounding);
  EXPECT_EQ(changed->kind, FirstBadOperator::Kind::written) << changed->text();
  const auto alone = find_joined_operator(
      expected, norm("c", 2, {{"aten::square", other}, {"aten::mul", right}}, wrong), y(), rounding);
  EXPECT_EQ(alone->kind, FirstBadOperator::Kind::written) << alone->text();
  const auto guilty = find_joined_operator(
      expected, norm("d", 2, {{"aten::div_", others}, {"aten::mul", wrong}}, wrong), y(), rounding);
  EXPECT_EQ(guilty->text(), "aten::div_ of layers.0.norm gives a different result from the same inputs");
}

TEST_F(RightResultTest, OperatorAfterIt_IsNamed) {
  const auto expected = norm("a", 1, {{"aten::mul", right}, {"aten::add_", right}}, right);
  EXPECT_EQ(find_joined_operator(expected, norm("b", 2, {{"aten::mul", right}, {"aten::add_", wrong}}, wrong),
                                 y(), rounding)
                ->text(),
            "aten::add_ of layers.0.norm gives a different result from the same inputs");
  EXPECT_EQ(find_joined_operator(expected, norm("c", 2, {{"aten::mul", right}, {"aten::neg", wrong}}, wrong),
                                 y(), rounding)
                ->text(),
            "only the second side runs aten::neg of layers.0.norm");
  EXPECT_FALSE(find_joined_operator(
      expected, norm("d", 2, {{"aten::mul", right}, {"aten::clone", wrong}}, wrong), y(), rounding))
      << "a move follows, which may be what changed it";
}

TEST_F(RightResultTest, FewerCallsOfTheSecondSide_AreCompared) {
  const auto found = find_joined_operator(norm("a", 1, {{"aten::mul", other}, {"aten::mul", right}}, right),
                                          norm("b", 2, {{"aten::mul", right}}, wrong), y(), rounding);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FirstBadOperator::Kind::written);
}

TEST_F(RightResultTest, ZeroOnly_ShowsNothing) {
  const std::vector<double> zero(4, 0);
  const auto found =
      find_joined_operator(norm("a", 1, {{"aten::sub", zero}, {"aten::mul", zero}}, zero),
                           norm("b", 2, {{"aten::sub", zero}, {"aten::mul", wrong}}, wrong), y(), rounding);
  EXPECT_EQ(found->text(), "aten::mul of layers.0.norm gives a different result from the same inputs");
}

TEST_F(JoinedOperatorsTest, WrongInput_IsNotTheOperatorsFault) {
  EXPECT_FALSE(
      find_joined_operator(product("a", Cut::none), product("b", Cut::rows, 1, 2), result(), rounding));
}

}  // namespace
}  // namespace parity::bisect
