// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <utility>

#include <gmock/gmock.h>

#include "harness/compare/bounds/gap_ratio.hpp"
#include "tests/support/traces/twin_runs.hpp"

namespace parity::compare {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Errors that only one precision has: the float64 twins agree and do not show them.
class Float32ErrorTest : public TwinTest {
 protected:
  static std::vector<double> scaled(std::vector<double> values, double factor) {
    return changed(std::move(values),
                   [&](size_t, double value) { return static_cast<float>(value * factor); });
  }
  /// Arm b is off by a relative error that its twin does not have.
  CheckResult judged_with_error(double error, const Check& check = check_of(Relation::equivalent, {"loss"})) {
    add_pair();
    add_arm("b", run_of(scaled(noisy(u32, 2, true), 1 + error)));
    return judge(check, arms);
  }
  void add_twins_of(const std::vector<double>& values) {
    for (const char* name : {"a", "b"})
      add_twin(name, run_of(values));
  }
};

TEST_F(Float32ErrorTest, FivePercentIsImprecise) {
  const CheckResult result = judged_with_error(0.05);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
  EXPECT_THAT(result.sentence, AllOf(HasSubstr("but b loses 2^19"), HasSubstr("a narrower type")));
}

TEST_F(Float32ErrorTest, ABfloat16RoundingIsImprecise) {
  const CheckResult result = judged_with_error(0x1p-9);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
}

TEST_F(Float32ErrorTest, OfBothArmsIsImpreciseToo) {
  add_pair();
  for (const char* name : {"a", "b"})
    add_arm(name, run_of(scaled(noisy(u32, name[0], true), 1.05)));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
}

TEST_F(Float32ErrorTest, AtOneStepIsImprecise) {
  add_pair();
  std::vector<double> loss = noisy(u32, 2, true);
  loss[7] *= 1 + 0x1p-10;
  add_arm("b", run_of(loss));
  EXPECT_EQ(name_of(judge(check_of(Relation::equivalent, {"loss"}), arms).verdict), "imprecise");
  Check one = check_of(Relation::equivalent, {"loss"});
  one.steps = range(8, 8);
  EXPECT_EQ(name_of(judge(one, arms).verdict), "imprecise");
  one.steps = range(7, 7);
  EXPECT_TRUE(judge(one, arms).passed);
}

TEST_F(Float32ErrorTest, TwinsThatComputeNothingAreVacuous) {
  add_pair();
  add_arm("b", run_of(scaled(noisy(u32, 2, true), 3)));
  add_twins_of(std::vector<double>(10, 0));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
  EXPECT_THAT(result.sentence, HasSubstr("its float64 twin"));
}

TEST_F(Float32ErrorTest, TwinsOfAnotherQuantityAreVacuous) {
  add_pair();
  add_twins_of(
      changed(falling_curve(), [](size_t i, double value) { return value * (i % 2 == 0 ? 1 : -1); }));
  EXPECT_EQ(judge(check_of(Relation::equivalent, {"loss"}), arms).verdict, Verdict::vacuous);
}

TEST_F(Float32ErrorTest, ConstantTwinsOfACurveFail) {
  add_pair();
  add_twins_of(std::vector<double>(10, 7.25));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
}

TEST_F(Float32ErrorTest, EqualBitsBesideZeroTwinsAreVacuous) {
  for (const char* name : {"a", "b"})
    add_arm(name, run_of(noisy(u32, 1, true), name[0] == 'a' ? 100 : 90));
  add_twins_of(std::vector<double>(10, 0));
  EXPECT_EQ(judge(check_of(Relation::equivalent, {"loss"}), arms).verdict, Verdict::vacuous);
}

TEST_F(Float32ErrorTest, ADeclaredPrecisionAllowsItsOwnSize) {
  Check check = check_of(Relation::equivalent, {"loss"});
  check.precision = DType::bfloat16;
  EXPECT_TRUE(judged_with_error(0x1p-9, check).passed);
  EXPECT_FALSE(judged_with_error(0x1p-4, check).passed);
  check.precision = DType::float16;
  EXPECT_TRUE(judged_with_error(0x1p-12, check).passed);
  EXPECT_FALSE(judged_with_error(0x1p-7, check).passed);
}

TEST_F(Float32ErrorTest, ADeclaredFactorRaisesTheLimit) {
  const CheckResult plain = judged_with_error(0x1p-12);
  EXPECT_FALSE(plain.passed);
  const double needed =
      plain.measured.at("roundings_b").get<double>() / plain.limit.at("roundings_b").get<double>();
  Check check = check_of(Relation::equivalent, {"loss"});
  check.imprecision = 2 * needed;
  EXPECT_TRUE(judged_with_error(0x1p-12, check).passed);
  check.imprecision = needed / 2;
  EXPECT_FALSE(judged_with_error(0x1p-12, check).passed);
}

TEST_F(Float32ErrorTest, ANormAloneNamesTheKnownCause) {
  const auto run = [](double norm, double loss) {
    return PlantedRun{
        .channels = {{"loss", std::vector<double>(4, loss)}, {"grad_norm", std::vector<double>(4, norm)}}};
  };
  const double loss = 7, norm = 1.5;
  add_arm("a", run(norm, loss));
  add_arm("b", run(static_cast<float>(norm * (1 - 7e-4)), one_ulp_up(loss)));
  add_twin("a", run(norm, loss));
  add_twin("b", run(norm, loss));
  const Check check = check_of(Relation::equivalent, {"loss", "grad_norm"});
  const CheckResult result = judge(check, arms);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
  EXPECT_THAT(result.looks_like, HasSubstr("PyTorch's on CPUs"));
  add_arm("b", run(static_cast<float>(norm * (1 - 7e-4)), loss * 1.001));
  EXPECT_THAT(judge(check, arms).looks_like, Not(HasSubstr("PyTorch's on CPUs")));
}

TEST_F(Float32ErrorTest, DoesNotMakeArmsDistinct) {
  const CheckResult result = judged_with_error(0.05, check_of(Relation::distinct, {"loss"}));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
  EXPECT_THAT(result.sentence, HasSubstr("only by precision"));
}

TEST_F(Float32ErrorTest, OfDistinctArmsIsNotUnsaid) {
  add_pair(4);
  add_arm("b", run_of(scaled(noisy(u32, 2, true, 4), 1 + 0x1p-10)));
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("also, b loses 2^1"));
}

/// A trainer that ignores the requested dtype.
TEST_F(Float32ErrorTest, TwinsThatAreTheArmsProveNothing) {
  for (const char* name : {"a", "b"}) {
    add_arm(name, run_of(noisy(u32, name[0], true)));
    add_twin(name, run_of(noisy(u32, name[0], true)));
  }
  EXPECT_FALSE(judge(check_of(Relation::distinct, {"loss"}), arms).passed);
  EXPECT_FALSE(judge(check_of(Relation::equivalent, {"loss"}), arms).passed);
}

TEST_F(Float32ErrorTest, StoredDistancesOfOtherRunsAreVacuous) {
  add_pair();
  TwinEvidence stored = judge(check_of(Relation::equivalent, {"loss"}), arms).twins.value();
  stored.measures.front().distance_a = stored.measures.front().distance_b = 0;
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms, &stored);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
}

/// Tensors that are kept as sketches, or whole.
class BlindSketchTest : public TwinTest {
 protected:
  static constexpr size_t count = 4096;

  static std::vector<double> values_of(uint64_t seed) {
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(static_cast<float>(1 + noise(i, 0.5, seed)));
    return values;
  }
  static PlantedRun run_of(const std::vector<double>& values, bool float32, bool whole) {
    PlantedRun run{.channels = {{"loss", std::vector<double>{1}}}};
    run.whole = whole;
    const trace::TensorKey key{1, trace::Phase::grad, "wq.weight"};
    if (float32)
      run.tensors.push_back({key, std::vector<float>(values.begin(), values.end())});
    else
      run.tensors.push_back({key, values});
    return run;
  }
  /// Elements of one sketch block that are exchanged without changing the block's sum.
  std::pair<size_t, size_t> unseen_exchange() {
    const std::vector<double> values = values_of(1);
    const trace::Trace* before = write("before", run_of(values, true, false));
    for (size_t j = 1; j < count / 64; ++j) {
      std::vector<double> other = values;
      std::swap(other[0], other[j]);
      const trace::Trace* after = write("after" + std::to_string(j), run_of(other, true, false));
      if (before->sketches().front().values == after->sketches().front().values)
        return {0, j};
    }
    return {0, 0};
  }
};

TEST_F(BlindSketchTest, AnExchangeOfElementsIsNeverRounding) {
  const auto [i, j] = unseen_exchange();
  ASSERT_NE(j, 0U);
  std::vector<double> exchanged = values_of(1);
  std::swap(exchanged[i], exchanged[j]);
  for (const bool in_twins : {false, true}) {
    add_arm("a", run_of(values_of(1), true, false));
    add_arm("b", run_of(exchanged, true, false));
    add_twin("a", run_of(values_of(1), false, false));
    add_twin("b", run_of(in_twins ? exchanged : values_of(1), false, false));
    for (const Relation relation : {Relation::equivalent, Relation::identical, Relation::distinct}) {
      const CheckResult result = judge(tensor_check_of(relation, "*", trace::Phase::grad), arms);
      EXPECT_FALSE(result.passed) << result.sentence;
      EXPECT_EQ(result.verdict, Verdict::different) << result.sentence;
    }
  }
  EXPECT_THAT(judge(tensor_check_of(Relation::equivalent, "*", trace::Phase::grad), arms).sentence,
              HasSubstr("the sketches are equal and cannot say by how much"));
}

TEST_F(BlindSketchTest, AnExchangeIsNoFartherThanNothing) {
  const auto [i, j] = unseen_exchange();
  ASSERT_NE(j, 0U);
  std::vector<double> exchanged = values_of(1), near = values_of(1);
  std::swap(exchanged[i], exchanged[j]);
  near[7] += 0.25;
  add_arm("a", run_of(values_of(1), true, false));
  add_arm("b", run_of(exchanged, true, false));
  add_arm("sibling", run_of(near, true, false));
  Check check = tensor_check_of(Relation::no_farther, "*", trace::Phase::grad);
  check.sibling = Sibling{{"a", "sibling"}, {}, 3};
  EXPECT_FALSE(judge(check, arms).passed);
}

/// Values at the edges of their types in relation no_farther.
class ExactGapTest : public PlantedTest {
 protected:
  CheckResult judged(const Column& a, const Column& b, const Column& sibling) {
    add_arm("a", {.channels = {{"q", a}}});
    add_arm("b", {.channels = {{"q", b}}});
    add_arm("sibling", {.channels = {{"q", sibling}}});
    Check check = check_of(Relation::no_farther, {"q"});
    check.sibling = Sibling{{"a", "sibling"}, {}, 3};
    return judge(check, arms);
  }
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

TEST_F(ExactGapTest, IntegersBeyond2To53AreSubtracted) {
  const int64_t large = int64_t{1} << 60;
  const auto run = [&](int64_t offset) { return std::vector<int64_t>{large, large + offset}; };
  EXPECT_FALSE(judged(run(0), run(1), run(0)).passed) << "a gap of 1 beside none";
  EXPECT_FALSE(judged(run(0), run(4), run(1)).passed);
  const CheckResult twice = judged(run(0), run(2), run(1));
  EXPECT_TRUE(twice.passed) << twice.sentence;
  EXPECT_EQ(twice.measured.at("gap_ratio"), 2);
}

TEST_F(ExactGapTest, IntegersAtBothEndsDoNotOverflow) {
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  const CheckResult result =
      judged(std::vector<int64_t>{least}, std::vector<int64_t>{most}, std::vector<int64_t>{least + 1});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.measured.at("gap"), 0x1p64);
}

TEST_F(ExactGapTest, AnotherTypeIsNoGapOfZero) {
  EXPECT_FALSE(judged(std::vector<int64_t>{3}, std::vector<double>{3}, std::vector<int64_t>{4}).passed);
}

TEST_F(ExactGapTest, AnInfiniteSiblingLetsNonePass) {
  for (const double gap : {99.0, 0.0}) {
    const CheckResult result = judged(std::vector<double>{8, 7}, std::vector<double>{8 + gap, 7.5},
                                      std::vector<double>{infinity, 7.5});
    EXPECT_FALSE(result.passed) << result.sentence;
    EXPECT_THAT(result.sentence, HasSubstr("not finite"));
  }
  EXPECT_FALSE(
      judged(std::vector<double>{8}, std::vector<double>{infinity}, std::vector<double>{infinity}).passed);
}

}  // namespace
}  // namespace parity::compare
