// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using testing::Not;
using IdenticalTest = PlantedTest;

TEST_F(IdenticalTest, PassesEqualBitsAndNamesQuantitiesArmsAndSteps) {
  add_arm("a", {.channels = {{"loss", falling_curve()}, {"valid_tokens", std::vector<int64_t>(10, 1024)}}});
  add_arm("b", {.channels = {{"loss", falling_curve()}, {"valid_tokens", std::vector<int64_t>(10, 1024)}}});
  const CheckResult result = judge(check_of(Relation::identical, {"loss", "valid_tokens"}), arms);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_EQ(result.sentence, "loss and valid_tokens of b and a have the same bits over steps 1-10");
}

TEST_F(IdenticalTest, FindsOneUlpAndSaysWhereAndHowFar) {
  add_arm("a", {.channels = {{"loss", falling_curve()}}});
  add_arm("b", {.channels = {{"loss", changed(falling_curve(), [](size_t i, double value) {
                                return i == 4 ? one_ulp_up(value) : value;
                              })}}});
  const CheckResult result = judge(check_of(Relation::identical, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_EQ(
      result.sentence,
      "loss of b differs from a's at 1 of 10 steps, first at step 5: a 7.301194, b 7.3011947 (1 float32 ULP, "
      "relative gap 6.5e-08); identical until step 4");
  EXPECT_EQ(result.measured["max_ulp"], 1);
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->step, 5);
  EXPECT_EQ(result.worst->expected, falling_curve()[4]);
}

TEST_F(IdenticalTest, NamesAConstantFactor) {
  const auto times_four = changed(falling_curve(), [](size_t, double value) { return 4 * value; });
  add_arm("a", {.channels = {{"grad_norm", falling_curve()}}});
  add_arm("b", {.channels = {{"grad_norm", times_four}}});
  EXPECT_THAT(judge(check_of(Relation::identical, {"grad_norm"}), arms).looks_like,
              HasSubstr("grad_norm of b is 4 times a's at every step (ratio 4)"));
  Check swapped = check_of(Relation::identical, {"grad_norm"});
  swapped.arms = {"b", "a"};
  EXPECT_THAT(judge(swapped, arms).looks_like,
              HasSubstr("grad_norm of a is 1/4 of b's at every step (ratio 0.25)"));
}

TEST_F(IdenticalTest, NamesALag) {
  const auto curve = falling_curve(11);
  add_arm("a", {.channels = {{"lr", std::vector<double>(curve.begin() + 1, curve.end())}}});
  add_arm("b", {.channels = {{"lr", std::vector<double>(curve.begin(), curve.end() - 1)}}});
  EXPECT_THAT(judge(check_of(Relation::identical, {"lr"}), arms).looks_like,
              HasSubstr("lr of b lags a's by 1 step, bit for bit"));
}

TEST_F(IdenticalTest, SaysWhenTheArmsSawOtherBatches) {
  add_arm("a", {.channels = {{"batch_digest", std::vector<int64_t>{1, 2, 3}}}});
  add_arm("b", {.channels = {{"batch_digest", std::vector<int64_t>{1, 2, 4}}}});
  EXPECT_THAT(judge(check_of(Relation::identical, {"batch_digest"}), arms).looks_like,
              HasSubstr("the arms trained on other batches from step 3 on"));
}

TEST_F(IdenticalTest, FindsInt64DifferencesThatDoublesCannotSee) {
  const int64_t large = (int64_t{1} << 60) + 1;
  add_arm("a", {.channels = {{"batch_digest", std::vector<int64_t>{large}}}});
  add_arm("b", {.channels = {{"batch_digest", std::vector<int64_t>{large + 1}}}});
  const CheckResult result = judge(check_of(Relation::identical, {"batch_digest"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("a 1152921504606846977, b 1152921504606846978"));
}

TEST_F(IdenticalTest, ANanAgreesWithNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  add_arm("a", {.channels = {{"loss", std::vector<double>{1, nan}}}});
  add_arm("b", {.channels = {{"loss", std::vector<double>{1, nan}}}});
  const CheckResult result = judge(check_of(Relation::identical, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("at step 2: a nan, b nan (NaN equals nothing)"));
  EXPECT_EQ(result.measured["relative_l2"], "nan");
}

TEST_F(IdenticalTest, InfinitiesAndOtherSignsOfZeroFail) {
  const double infinity = std::numeric_limits<double>::infinity();
  add_arm("a", {.channels = {{"loss", std::vector<double>{infinity}}, {"lr", std::vector<double>{0.0}}}});
  add_arm("b", {.channels = {{"loss", std::vector<double>{infinity}}, {"lr", std::vector<double>{-0.0}}}});
  const CheckResult infinite = judge(check_of(Relation::identical, {"loss"}), arms);
  EXPECT_FALSE(infinite.passed);
  EXPECT_THAT(infinite.sentence, HasSubstr("loss of a is inf at step 1"));
  const CheckResult result = judge(check_of(Relation::identical, {"lr"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("only the sign of zero differs"));
}

TEST_F(IdenticalTest, FindsTheSmallestDenormal) {
  add_arm("a", {.channels = {{"lr", std::vector<double>{0.0}}}});
  add_arm("b", {.channels = {{"lr", std::vector<double>{5e-324}}}});
  const CheckResult result = judge(check_of(Relation::identical, {"lr"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("a 0, b 5e-324 (1 float64 ULP)"));
}

TEST_F(IdenticalTest, AMissingStepIsMissingAndNotSkipped) {
  add_arm("a", {.channels = {{"loss", falling_curve(10)}}});
  add_arm("b", {.channels = {{"loss", falling_curve(9)}}});
  const CheckResult result = judge(check_of(Relation::identical, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_EQ(result.sentence, "loss of b has no value at step 10 (its last step is 9)");
}

TEST_F(IdenticalTest, TypesOfChannelsMustAgree) {
  add_arm("a", {.channels = {{"valid_tokens", std::vector<int64_t>{3}}}});
  add_arm("b", {.channels = {{"valid_tokens", std::vector<double>{3}}}});
  const CheckResult result = judge(check_of(Relation::identical, {"valid_tokens"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("int64 against float64"));
}

TEST_F(IdenticalTest, TensorsDifferByOneUlpInOneElement) {
  std::vector<float> values(12, 0.5F);
  add_arm("a", {.channels = {{"loss", std::vector<double>{1}}},
                .tensors = {{{1, trace::Phase::param, "wq.weight"}, values, {3, 4}},
                            {{1, trace::Phase::param, "wk.weight"}, values, {3, 4}}}});
  values[6] = std::nextafter(0.5F, 1.0F);
  add_arm("b", {.channels = {{"loss", std::vector<double>{1}}},
                .tensors = {{{1, trace::Phase::param, "wq.weight"}, values, {3, 4}},
                            {{1, trace::Phase::param, "wk.weight"}, std::vector<float>(12, 0.5F), {3, 4}}}});
  const CheckResult result = judge(tensor_check_of(Relation::identical, "*"), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_EQ(result.sentence,
            "param wq.weight of b differs from a's at step 1: 1 element differs, relative L2 gap 3.4e-08, at "
            "most 1 "
            "ULP; most at [1, 2]: a 0.5, b 0.50000006; 1 of 2 tensors differ");
  ASSERT_EQ(result.tensors.size(), 2U);
  EXPECT_EQ(result.tensors[0].measured["max_ulp"], 1);
  EXPECT_TRUE(result.tensors[1].identical);
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->index, (std::vector<int64_t>{1, 2}));
}

TEST_F(IdenticalTest, SketchesAloneFindAndPlaceADifference) {
  std::vector<float> values(6400, 0.5F);
  const auto run = [&] {
    return PlantedRun{.channels = {{"loss", std::vector<double>{1}}},
                      .tensors = {{{1, trace::Phase::grad, "w"}, values}},
                      .whole = false};
  };
  add_arm("a", run());
  add_arm("same", run());
  values[250] = 0.75F;
  add_arm("b", run());
  const CheckResult result = judge(tensor_check_of(Relation::identical, "w", trace::Phase::grad), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(
      result.sentence,
      HasSubstr("relative L2 gap about 0.0063 (estimated from sketches), most in the flat elements 200-299"));
  Check same = tensor_check_of(Relation::identical, "w", trace::Phase::grad);
  same.arms = {"a", "same"};
  EXPECT_TRUE(judge(same, arms).passed);
}

TEST_F(IdenticalTest, NansOrOtherShapesOrDtypes_AreNotIdentical) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto arm = [](const PlantedTensor& tensor) {
    return PlantedRun{.channels = {{"loss", std::vector<double>{1}}}, .tensors = {tensor}};
  };
  const trace::TensorKey key{1, trace::Phase::param, "w"};
  add_arm("a", arm({key, std::vector<float>{1, nan}}));
  add_arm("b", arm({key, std::vector<float>{1, nan}}));
  EXPECT_THAT(judge(tensor_check_of(Relation::identical, "w"), arms).sentence, HasSubstr("2 NaN"));
  add_arm("a", arm({key, std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}}));
  add_arm("b", arm({key, std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}}));
  EXPECT_THAT(judge(tensor_check_of(Relation::identical, "w"), arms).sentence,
              HasSubstr("shape (2, 3) against (3, 2)"));
  add_arm("a", arm({key, std::vector<float>{1}}));
  add_arm("b", arm({key, std::vector<double>{1}}));
  const CheckResult result = judge(tensor_check_of(Relation::identical, "w"), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("float32 against float64"));
}

TEST_F(IdenticalTest, ATensorThatOneSideLacksIsMissing) {
  const PlantedTensor both{{1, trace::Phase::param, "w"}, std::vector<float>{1}};
  const PlantedTensor extra{{1, trace::Phase::param, "v"}, std::vector<float>{1}};
  add_arm("a", {.channels = {{"loss", std::vector<double>{1}}}, .tensors = {both}});
  add_arm("b", {.channels = {{"loss", std::vector<double>{1}}}, .tensors = {both, extra}});
  const CheckResult result = judge(tensor_check_of(Relation::identical, "*"), arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("param v at step 1 is in b but at step 1 not in a"));
}

TEST_F(IdenticalTest, Glob_OperatorsOfOneRun_AreNotMissing) {
  const std::vector<float> values(12, 1);
  const std::string operators = "wq@3:aten::mm:out.0", micro_batch = "wq@0:micro_batch", own = "wq@home";
  const auto run = [&](const std::vector<std::string>& names) {
    PlantedRun planted{.channels = {{"loss", std::vector<double>{1}}}};
    for (const std::string& name : names)
      planted.tensors.push_back({{1, trace::Phase::grad, name}, values, {3, 4}});
    return planted;
  };
  add_arm("a", run({"wq"}));
  add_arm("b", run({"wq", operators, micro_batch}));
  const CheckResult result = judge(tensor_check_of(Relation::identical, "*", trace::Phase::grad), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.tensors.size(), 1U);
  for (const std::string glob : {"wq@*aten*", "*@*:micro_batch"})
    EXPECT_EQ(judge(tensor_check_of(Relation::identical, glob, trace::Phase::grad), arms).verdict,
              Verdict::missing)
        << glob;
  add_arm("b", run({"wq", own}));  // a trainer's own name
  EXPECT_EQ(judge(tensor_check_of(Relation::identical, "*", trace::Phase::grad), arms).verdict,
            Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
