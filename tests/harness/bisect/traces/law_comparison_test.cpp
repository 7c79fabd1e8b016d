// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/law_comparison.hpp"

#include "harness/bisect/traces/search_traces.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::bisect {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Sides with the same tensors.
class LawComparisonTest : public laws::LawTest {
 protected:
  /// A run whose grad_norm leaves out half of a weight's squares from this step on.
  static PlantedRun with_short_norm(const std::string& weight, int64_t first) {
    PlantedRun run = trained();
    for (size_t i = static_cast<size_t>(first - 1); i < 4; ++i) {
      double square = 0;
      for (const std::string& name : names())
        for (const float value : tensor(run, static_cast<int64_t>(i) + 1, trace::Phase::grad, name))
          square += name == weight ? 0 : value * value;
      channel(run, "grad_norm")[i] = std::sqrt(square);
    }
    return run;
  }
  SearchRecord search(const PlantedRun& good, const PlantedRun& bad) {
    const trace::Trace& expected = *write("good", good);
    write("bad", bad);
    trace::Trace actual = trace::Trace::open(folder / "bad.h5");
    return search_traces(expected, actual);
  }
};

TEST_F(LawComparisonTest, ShortNorm_IsNamedWithItsWeight) {
  const SearchRecord record = search(trained(), with_short_norm("norm.weight", 2));
  EXPECT_TRUE(record.differs);
  ASSERT_EQ(record.stages.back().name, "law");
  const Json& details = record.stages.back().details;
  EXPECT_EQ(details.at("law"), "grad_norm");
  EXPECT_EQ(details.at("side"), "actual");
  EXPECT_EQ(details.at("step"), 2);
  EXPECT_EQ(details.at("tensor"), "norm.weight");
  EXPECT_LT(details.at("factor").get<double>(), 1);
  EXPECT_EQ(details.at("other"), "holds");
  EXPECT_THAT(record.sentence,
              AllOf(HasSubstr("grad_norm differs from step 2 on, but no recorded tensor does"),
                    HasSubstr("the second departs from the law grad_norm at step 2"),
                    HasSubstr("it equals the norm without norm.weight"), HasSubstr("the first keeps it")));
}

TEST_F(LawComparisonTest, WrongGoodSide_IsNamed) {
  const SearchRecord record = search(with_short_norm("norm.weight", 1), trained());
  EXPECT_EQ(record.stages.back().details.at("side"), "expected");
  EXPECT_THAT(record.sentence, HasSubstr("the first departs from the law grad_norm at step 1"));
}

TEST_F(LawComparisonTest, LaterTensor_DoesNotHideTheLaw) {
  PlantedRun bad = with_short_norm("norm.weight", 2);
  scale(tensor(bad, 3, trace::Phase::param, "norm.weight"), 2);
  const SearchRecord record = search(trained(), bad);
  EXPECT_THAT(record.sentence, AllOf(HasSubstr("departs from the law grad_norm at step 2"),
                                     HasSubstr("; later, param norm.weight at step 3 is the first tensor")));
}

TEST_F(LawComparisonTest, LawsThatHoldOnBoth_AreListed) {
  PlantedRun other = trained();
  channel(other, "grad_norm")[0] *= 1 + 1e-9;
  const SearchRecord record = search(trained(), other);
  EXPECT_TRUE(record.differs);
  const SearchStage& stage = record.stages.back();
  EXPECT_TRUE(stage.details.at("law").is_null());
  EXPECT_THAT(stage.answer, AllOf(HasSubstr("both sides keep grad_norm"), HasSubstr("not asked: ")));
  EXPECT_THAT(record.sentence, Not(HasSubstr("departs")));
}

TEST_F(LawComparisonTest, MissingGradients_AreNoAgreement) {
  PlantedRun good = trained(), bad = with_short_norm("norm.weight", 1);
  drop(good, trace::Phase::grad);
  drop(bad, trace::Phase::grad);
  const SearchRecord record = search(good, bad);
  EXPECT_THAT(record.stages.back().answer, HasSubstr("grad_norm (no gradients were recorded)"));
  EXPECT_THAT(record.stages.back().answer, Not(HasSubstr("keep grad_norm")));
}

TEST_F(LawComparisonTest, OneSideWithoutGradients_IsSaid) {
  PlantedRun good = trained();
  drop(good, trace::Phase::grad);
  const LawComparison laws =
      compare_laws(*write("good", good), *write("bad", with_short_norm("norm.weight", 1)), 4);
  ASSERT_TRUE(laws.first());
  EXPECT_EQ(laws.first()->other, laws::Answer::not_asked);
  EXPECT_THAT(laws.text("good", "bad"), HasSubstr("good could not be asked"));
}

TEST_F(LawComparisonTest, SameDeparture_ExplainsNothing) {
  const PlantedRun bad = with_short_norm("norm.weight", 1);
  const LawComparison laws = compare_laws(*write("good", bad), *write("bad", bad), 4);
  EXPECT_FALSE(laws.first());
  EXPECT_THAT(laws.text("good", "bad"), HasSubstr("both depart in the same way from grad_norm"));
}

TEST_F(LawComparisonTest, LaterDeparture_IsLeftOut) {
  const LawComparison laws =
      compare_laws(*write("good", trained()), *write("bad", with_short_norm("norm.weight", 3)), 2);
  EXPECT_FALSE(laws.first());
}

TEST_F(LawComparisonTest, NanNorm_Departs) {
  PlantedRun bad = trained();
  channel(bad, "grad_norm")[1] = std::nan("");
  const LawComparison laws = compare_laws(*write("good", trained()), *write("bad", bad), 4);
  ASSERT_TRUE(laws.first());
  EXPECT_EQ(laws.first()->law, "grad_norm");
  EXPECT_EQ(laws.first()->departure.step, 2);
}

}  // namespace
}  // namespace parity::bisect
