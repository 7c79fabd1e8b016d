// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/law_check.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Ten updates of a trainer with one gradient {3, 4}, whose norm is 5, and the defects of one of them.
struct PlantedUpdates {
  double norm = 5;               ///< at update 4
  float gradient_of_rank_1 = 3;  ///< at update 4, if there are two ranks
  int64_t ranks = 1;
  std::vector<trace::Fault> faults = {};
  bool finish = true;
};

class LawCheckTest : public SuiteTest {
 protected:
  void record(const std::string& name, const PlantedUpdates& planted = {}) const {
    for (int64_t rank = planted.ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder_ / "cases/topic" / (name + ".h5"), Json::object(), {}, {}, 0};
      options.capture.sketches.push_back({{}, {trace::Phase::grad}, {"*"}});
      options.capture.faults = planted.faults;
      options.rank = rank;
      options.ranks = planted.ranks;
      trace::Recorder recorder(std::move(options));
      for (int64_t step = 1; step <= 10; ++step) {
        recorder.begin_step(step);
        recorder.channel("loss", 9 - 0.5 * static_cast<double>(step));
        recorder.channel("lr", 0.5);
        recorder.channel("grad_norm", step == 4 ? planted.norm : 5.0);
        std::vector<float> gradient = {step == 4 && rank == 1 ? planted.gradient_of_rank_1 : 3.0F, 4.0F};
        recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, gradient), gradient.data());
        recorder.end_step();
      }
      if (planted.finish)
        recorder.finish();
    }
  }
  /// Returns the check of a recorded trace, as an arm of a case.
  std::optional<JudgedCheck> check(const std::string& name) const {
    const trace::Trace trace = trace::Trace::open(folder_ / "cases/topic" / (name + ".h5"));
    std::map<std::string, compare::ArmEvidence> arms;
    arms["b"].trace = &trace;
    return law_check("b", arms);
  }
  /// Returns the results of a case with arms a, without a defect, and b.
  Json judged(const std::string& checks = "") const {
    return run({write_case("c", "[golden]\narms = []\n" + copying_arm("a", "a") + copying_arm("b", "b") +
                                    "[[checks]]\nchannel = \"loss\"\nrelation = \"identical\"\nbecause = "
                                    "\"the test says so\"\n" +
                                    checks)})
        .at("cases")
        .at(0);
  }
  static std::string lawful(const std::string& more) {
    return "[[checks]]\narms = [\"b\"]\nrelation = \"lawful\"\nbecause = \"a reason\"\n" + more;
  }
  static std::vector<Json> rows(const Json& item, const std::string& relation) {
    std::vector<Json> found;
    for (const Json& check : item.at("checks"))
      if (check.at("relation") == relation)
        found.push_back(check);
    return found;
  }
};

/// Ten updates that add 1 to a parameter and to its moment.
class ContinuedArmTest : public LawCheckTest {
 protected:
  void record_state(const std::string& name, float parameter, float moment) const {
    trace::Recorder::Options options{folder_ / "cases/topic" / (name + ".h5"), Json::object(), {}, {}, 0};
    options.capture.tensors.push_back({});
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 0; step <= 10; ++step) {
      recorder.begin_step(step);
      const std::vector<float> w(4, parameter + static_cast<float>(step)),
          m(4, moment + static_cast<float>(step));
      recorder.tensor(trace::Phase::optim, "exp_avg/w", view_of(DType::float32, m));
      recorder.tensor(trace::Phase::param, "w", view_of(DType::float32, w));
      if (step > 0) {
        recorder.channel("loss", 9 - 0.5 * static_cast<double>(step));
        recorder.channel("lr", 0.5);
      }
      recorder.end_step();
    }
    recorder.finish();
  }
  Json continued() const { return rows(judged(lawful("before = \"a\"\n")), "lawful").at(0); }
};

TEST_F(ContinuedArmTest, RestoredState_Passes) {
  record_state("a", 1, 2);
  record_state("b", 11, 12);
  const Json row = continued();
  EXPECT_TRUE(row.at("passed").get<bool>()) << row.dump(1);
  EXPECT_EQ(row.at("parameters").at("before"), "a");
  EXPECT_THAT(row.at("sentence").get<std::string>(), HasSubstr("restart hold in b"));
}

TEST_F(ContinuedArmTest, LostMoment_Fails) {
  record_state("a", 1, 2);
  record_state("b", 11, 0);
  const Json row = continued();
  EXPECT_FALSE(row.at("passed").get<bool>());
  EXPECT_THAT(row.at("sentence").get<std::string>(),
              HasSubstr("exp_avg of w: not restored after update 10: starts from zero"));
}

TEST_F(ContinuedArmTest, UnrecordedState_IsMissing) {
  record_state("a", 1, 2);
  record("b");
  EXPECT_EQ(continued().at("verdict"), "missing");
}

TEST_F(LawCheckTest, EveryArmHasARow) {
  record("a");
  record("b");
  const Json item = judged();
  EXPECT_TRUE(item.at("passed").get<bool>()) << item.dump(1);
  const std::vector<Json> found = rows(item, "lawful");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].at("kind"), "laws");
  EXPECT_EQ(found[1].at("arms"), Json({"b"}));
  EXPECT_EQ(found[1].at("sentence"), "laws grad_norm and schedule hold in b; 8 not asked");
  EXPECT_THAT(found[1].at("finding").at("next").get<std::string>(), HasSubstr("parity audit topic/c:b"));
}

TEST_F(LawCheckTest, DepartingArm_FailsItsCase) {
  record("a");
  record("b", {.norm = 10});
  const Json item = judged();
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(item.at("sentence").get<std::string>(),
              HasSubstr("1 of 5 checks failed: law grad_norm departs in b: grad_norm is 2 times the norm"));
  const Json where = rows(item, "lawful").at(1).at("finding").at("where");
  EXPECT_EQ(where.at("step"), 4);
  EXPECT_EQ(where.at("tensor"), "grad_norm");
}

TEST_F(LawCheckTest, DepartingRank_IsNamed) {
  record("a", {.ranks = 2});
  record("b", {.gradient_of_rank_1 = 3.5F, .ranks = 2});
  const auto found = check("b");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->result.passed);
  EXPECT_THAT(found->result.sentence,
              HasSubstr("law replicas departs in b: grad of w differs between rank 0 and rank 1 at step 4"));
  ASSERT_TRUE(found->result.worst);
  EXPECT_EQ(found->result.worst->rank, 1);
  EXPECT_EQ(found->result.worst->step, 4);
  EXPECT_EQ(found->result.worst->quantity, "w");
  EXPECT_TRUE(check("a")->result.passed);
}

TEST_F(LawCheckTest, NoLawToAsk_NoRow) {
  write_trace("a", falling_losses());  // lr, but only to be seen
  trace::Recorder recorder({folder_ / "cases/topic/b.h5", Json::object(), {}, {}, 0});
  recorder.begin_step(1);
  recorder.channel("reward", 1.0);
  recorder.end_step();
  recorder.finish();
  EXPECT_TRUE(check("a"));
  EXPECT_FALSE(check("b"));
}

TEST_F(LawCheckTest, InjectedFaults_NoRow) {
  trace::Fault fault;
  fault.kind = trace::FaultKind::scale;
  fault.name = "w";
  fault.size = 1;
  record("b", {.norm = 10, .faults = {fault}});
  EXPECT_FALSE(check("b"));
}

TEST_F(LawCheckTest, UnfinishedRun_NoRow) {
  record("b", {.finish = false});
  const trace::Trace trace = trace::Trace::open(folder_ / "cases/topic/b.h5.partial");
  std::map<std::string, compare::ArmEvidence> arms;
  arms["b"].trace = &trace;
  EXPECT_FALSE(law_check("b", arms));
}

TEST_F(LawCheckTest, OwnCheck_TakesTheRowsPlace) {
  record("a");
  record("b", {.norm = 10});
  const Json item = judged(lawful("departs = [\"grad_norm\"]\nlaws = [\"schedule\"]\n"));
  EXPECT_TRUE(item.at("passed").get<bool>()) << item.dump(1);
  const std::vector<Json> found = rows(item, "lawful");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at("kind"), "pair");
  EXPECT_EQ(found[0].at("arms"), Json({"b"}));
  EXPECT_EQ(found[0].at("verdict"), "different");
  EXPECT_EQ(found[0].at("parameters"), Json({{"departs", "grad_norm"}, {"laws", "schedule"}}));
  EXPECT_EQ(found[1].at("arms"), Json({"a"}));
}

TEST_F(LawCheckTest, OwnCheckThatIsNotMet_Fails) {
  record("a");
  record("b");
  const auto sentence = [&](const std::string& more) {
    const Json item = judged(lawful(more));
    EXPECT_FALSE(item.at("passed").get<bool>());
    return rows(item, "lawful").at(0).at("sentence").get<std::string>();
  };
  EXPECT_THAT(sentence("departs = [\"schedule\"]\n"), HasSubstr("although the case says"));
  EXPECT_THAT(sentence("laws = [\"clip\"]\n"),
              AllOf(HasSubstr("law clip was not asked of b"), HasSubstr("record")));
}

}  // namespace
}  // namespace parity::suite
