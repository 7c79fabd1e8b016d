// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "tests/support/traces/twin_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// Arms whose own rounding noise is known exactly: float32 is off by `floor` in each.
class DistinctTest : public TwinTest {
 protected:
  void add_with_floor(double floor, double difference) {
    const auto at = [](double value) { return run_of(std::vector<double>(10, value)); };
    add_arm("a", at(8 + floor));
    add_arm("b", at(8 + floor + difference));
    add_twin("a", at(8));
    add_twin("b", at(8 + difference));
  }
};

TEST_F(DistinctTest, PassesAnotherComputation) {
  add_pair(1e-2);
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("by more than rounding"));
  EXPECT_THAT(result.sentence, HasSubstr("the gap stays in float64 (collapse 2^0.0); first at step 1: a "));
}

TEST_F(DistinctTest, AConstantRatioIsNamed) {
  for (const char* name : {"a", "b"}) {
    const std::vector<double> norms(10, name[0] == 'a' ? 1.5 : 6);
    add_arm(name, run_of(norms));
    add_twin(name, run_of(norms));
  }
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.looks_like, HasSubstr("loss of b is 4 times a's at every step (ratio 4)"));
}

TEST_F(DistinctTest, TwoHundredFloorsPassAndFiftyFail) {
  add_with_floor(0x1p-20, 200 * 0x1p-20);
  EXPECT_TRUE(judge(check_of(Relation::distinct, {"loss"}), arms).passed);
  add_with_floor(0x1p-20, 50 * 0x1p-20);
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("float32's rounding hides it: 50 floors (needed 100"));
}

TEST_F(DistinctTest, AFloorOfZeroTakesAGapBeyondRounding) {
  add_with_floor(0, 200 * 8 * 0x1p-24);
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("over a floor of 0"));
  add_with_floor(0, 50 * 8 * 0x1p-24);
  EXPECT_THAT(judge(check_of(Relation::distinct, {"loss"}), arms).sentence,
              HasSubstr("less than 100 roundings of the quantity"));
}

TEST_F(DistinctTest, RoundingIsNotDistinct) {
  add_pair();
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::rounding);
  EXPECT_THAT(result.sentence, HasSubstr("only by rounding"));
}

TEST_F(DistinctTest, ALargeGapThatCollapsesIsImprecise) {
  add_with_floor(0, 1e-3);
  add_twin("a", run_of(std::vector<double>(10, 8)));
  add_twin("b", run_of(std::vector<double>(10, 8 + 1e-15)));
  EXPECT_EQ(judge(check_of(Relation::distinct, {"loss"}), arms).verdict, Verdict::imprecise);
}

TEST_F(DistinctTest, EqualBitsFailAsIdentical) {
  add_with_floor(0, 0);
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_THAT(result.sentence, HasSubstr("no effect"));
}

TEST_F(DistinctTest, EveryNamedChannelMustBeDistinct) {
  add_pair(1e-2);
  const CheckResult result = judge(check_of(Relation::distinct, {"loss", "mask_pairs"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::identical);
}

TEST_F(DistinctTest, ANanIsNoEvidence) {
  add_pair(1e-2);
  auto loss = noisy(u32, 2, true, 1);
  loss[9] = std::numeric_limits<double>::quiet_NaN();
  add_arm("b", run_of(loss));
  const CheckResult result = judge(check_of(Relation::distinct, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("loss of b is nan at step 10"));
}

TEST_F(DistinctTest, OneChangedTensorMakesAGlobDistinct) {
  const auto run = [](double value, bool float32) {
    PlantedRun planted{.channels = {{"loss", std::vector<double>{1}}}};
    for (const std::string name : {"v", "w"}) {
      const double element = name == "w" ? value : 0.25;
      const trace::TensorKey key{1, trace::Phase::param, name};
      planted.tensors.push_back(float32
                                    ? PlantedTensor{key, std::vector<float>(8, static_cast<float>(element))}
                                    : PlantedTensor{key, std::vector<double>(8, element)});
    }
    return planted;
  };
  add_arm("a", run(0.3, true));
  add_arm("b", run(0.4, true));
  add_twin("a", run(0.3, false));
  add_twin("b", run(0.4, false));
  const CheckResult result = judge(tensor_check_of(Relation::distinct, "*"), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("param * of b and a differ"));
  EXPECT_THAT(result.sentence, HasSubstr("first param w at step 1"));
  EXPECT_EQ(result.tensors.size(), 2U);
}

}  // namespace
}  // namespace parity::compare
