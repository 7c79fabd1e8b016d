// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/harness/laws/law_fixture.hpp"

namespace parity::compare {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using trace::Phase;

/// Runs of four updates of AdamW: grad_norm, clip, update and schedule can be asked, the other laws cannot.
class LawfulTest : public laws::LawTest {
 protected:
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

  static Check check_of_laws(std::vector<std::string> laws = {}, std::vector<std::string> departs = {}) {
    Check check = check_of(Relation::lawful, {});
    check.laws = std::move(laws);
    check.departs = std::move(departs);
    return check;
  }
  CheckResult judge_run(const PlantedRun& run, const Check& check) {
    arms.clear();
    add_arm("a", run);
    return judge(check, arms);
  }
  /// A run in which one clipped gradient is 1.5 times too large at update 3.
  static PlantedRun badly_clipped() {
    PlantedRun run = trained();
    scale(tensor(run, 3, Phase::grad_clipped, "norm.weight"), 1.5F);
    return run;
  }
  static void drop_at(PlantedRun& run, int64_t step, Phase phase) {
    std::erase_if(run.tensors, [&](const PlantedTensor& each) {
      return each.key.step == step && each.key.phase == phase;
    });
  }
};

TEST_F(LawfulTest, LawfulRun_PassesAndNamesItsLaws) {
  const CheckResult result = judge_run(trained(), check_of_laws());
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::rounding);
  EXPECT_EQ(result.sentence, "laws grad_norm, clip, update and schedule hold in a; 6 not asked");
  EXPECT_EQ(result.measured.at("laws_holding"), 4);
  EXPECT_EQ(result.measured.at("laws_not_asked"), 6);
  EXPECT_GT(result.measured.at("compared"), 40);
  EXPECT_EQ(result.coverage.text(), "laws at steps 1-4");
}

TEST_F(LawfulTest, OneDeparture_FailsWithItsPlace) {
  const CheckResult result = judge_run(badly_clipped(), check_of_laws());
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, AllOf(HasSubstr("law clip departs in a: norm.weight: scaled by"),
                                     HasSubstr("(step 3)"), HasSubstr("law update departs too")));
  EXPECT_THAT(result.more, testing::ElementsAre(HasSubstr("law update: norm.weight")));
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->step, 3);
  EXPECT_EQ(result.worst->quantity, "norm.weight");
  EXPECT_EQ(result.worst->metric, "factor");
  EXPECT_NEAR(result.worst->value, 1.5, 1e-6);
  EXPECT_EQ(result.measured.at("laws_departing"), 2);
  EXPECT_EQ(result.limit.at("laws_departing"), 0);
}

TEST_F(LawfulTest, ExplainedDeparture_Passes) {
  const CheckResult result = judge_run(badly_clipped(), check_of_laws({"schedule"}, {"clip", "update"}));
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("law clip departs as the case says: norm.weight: scaled by"));
  EXPECT_EQ(result.coverage.text(), "3 laws at steps 1-4");
}

TEST_F(LawfulTest, HalfExplained_Fails) {
  const CheckResult result = judge_run(badly_clipped(), check_of_laws({}, {"clip"}));
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("law update departs in a"));
}

TEST_F(LawfulTest, StatedDepartureThatHolds_Fails) {
  const CheckResult result = judge_run(trained(), check_of_laws({}, {"schedule"}));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::rounding);
  EXPECT_THAT(result.sentence, HasSubstr("law schedule holds in a, although the case says that it departs"));
}

TEST_F(LawfulTest, NamedLawThatCannotBeAsked_IsMissing) {
  for (const Check& check : {check_of_laws({"clip", "loss"}), check_of_laws({}, {"loss"})}) {
    const CheckResult result = judge_run(trained(), check);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.verdict, Verdict::missing);
    EXPECT_THAT(result.sentence, AllOf(HasSubstr("law loss was not asked of a: no logits"),
                                       HasSubstr("record phase forward of the logits")));
  }
}

TEST_F(LawfulTest, NamedLawAtAStepThatWasNotRecorded_IsMissing) {
  PlantedRun run = trained();
  for (const Phase phase : {Phase::grad, Phase::grad_clipped})
    drop_at(run, 2, phase);
  const CheckResult result = judge_run(run, check_of_laws({"clip"}));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("a has no law clip at step 2 (the check needs steps 1-4)"));
  Check later = check_of_laws({"clip"});
  later.steps = range(3, 4);
  EXPECT_TRUE(judge_run(run, later).passed);
  EXPECT_TRUE(judge_run(run, check_of_laws()).passed);
}

TEST_F(LawfulTest, UpdateNeedsTheStepBefore) {
  for (const Phase phase : {Phase::param, Phase::optim}) {
    PlantedRun run = trained();
    drop_at(run, 2, phase);
    Check check = check_of_laws({"update"});
    check.steps = range(3, 4);
    EXPECT_EQ(judge_run(run, check).verdict, Verdict::missing) << name_of(phase);
    check.steps = range(4, 4);
    EXPECT_TRUE(judge_run(run, check).passed) << name_of(phase);
  }
}

TEST_F(LawfulTest, NothingToAsk_IsMissing) {
  PlantedRun run;
  run.channels = {{"anything", std::vector<double>{1, 2}}};
  const CheckResult result = judge_run(run, check_of_laws());
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("no law could be asked"));
}

TEST_F(LawfulTest, NanOnBothSides_Fails) {
  PlantedRun run = trained();
  tensor(run, 4, Phase::grad, "norm.weight")[3] = static_cast<float>(not_a_number);
  channel(run, "grad_norm")[3] = not_a_number;
  drop(run, Phase::grad_clipped);  // so that only grad_norm reads the gradient
  drop(run, Phase::optim);
  drop(run, Phase::param);
  const CheckResult result = judge_run(run, check_of_laws());
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("grad_norm is nan at step 4 in a"));
}

TEST_F(LawfulTest, NanInAChannel_Fails) {
  for (const char* name : {"lr", "loss", "grad_norm"}) {
    PlantedRun run = trained();
    run.channels["loss"] = std::vector<double>{4, 3, 2, 1};
    channel(run, name)[1] = not_a_number;
    const CheckResult result = judge_run(run, check_of_laws());
    EXPECT_FALSE(result.passed) << name;
    EXPECT_EQ(result.verdict, Verdict::different) << name;
    EXPECT_THAT(result.sentence, HasSubstr("nan")) << name;
  }
}

TEST_F(LawfulTest, RunThatFailed_IsCrashed) {
  PlantedRun run = trained();
  run.failure = {{"kind", "non_finite"}, {"step", 4}};
  const CheckResult result = judge_run(run, check_of_laws());
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::crashed);
}

TEST_F(LawfulTest, FewerUpdatesThanAsked_IsMissing) {
  add_arm("a", trained());
  arms["a"].updates = {1, 6};
  for (const Check& check : {check_of_laws(), check_of_laws({"schedule"})}) {
    const CheckResult result = judge(check, arms);
    EXPECT_EQ(result.verdict, Verdict::missing);
    EXPECT_THAT(result.sentence, HasSubstr("at steps 5-6"));
  }
}

TEST_F(LawfulTest, RunBefore_IsComparedByTheLawRestart) {
  Check check = check_of_laws({"restart"});
  check.before = "b";
  add_arm("a", trained());
  add_arm("b", trained());
  CheckResult result = judge(check, arms);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("law restart departs in a: parameter of every tensor: not restored "
                                         "after update 4: starts from its initial values"));
  PlantedRun resumed = trained();
  for (const std::string& name : names()) {
    for (const char* kind : {"exp_avg/", "exp_avg_sq/"})
      resumed.tensors.push_back(
          {{0, Phase::optim, kind + name}, tensor(resumed, 4, Phase::optim, kind + name)});
    tensor(resumed, 0, Phase::param, name) = tensor(resumed, 4, Phase::param, name);
  }
  add_arm("a", resumed);
  check.departs = {"update"};  // of update 1, which did not begin with that state
  result = judge(check, arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("restart"));
  scale(tensor(resumed, 0, Phase::optim, "exp_avg/norm.weight"), 0.5F);
  add_arm("a", resumed);
  EXPECT_THAT(judge(check, arms).sentence, HasSubstr("exp_avg of norm.weight: not restored after update 4"));
  arms.erase("b");
  EXPECT_EQ(judge(check, arms).verdict, Verdict::missing);
}

TEST_F(LawfulTest, UnknownLawOrQuantity_IsMissing) {
  EXPECT_THAT(judge_run(trained(), check_of_laws({"clop"})).sentence, HasSubstr("none of that name"));
  Check check = check_of_laws();
  check.channels = {"loss"};
  EXPECT_EQ(judge_run(trained(), check).verdict, Verdict::missing);
}

TEST_F(LawfulTest, NamedLawsAreListedOnce) {
  EXPECT_EQ(check_of_laws().quantity(), "run");
  EXPECT_EQ(check_of_laws({"clip", "update"}, {"update", "loss"}).named_laws(),
            (std::vector<std::string>{"clip", "update", "loss"}));
}

}  // namespace
}  // namespace parity::compare
