// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/golden/evidence_binding.hpp"
#include "harness/golden/seal.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;

/// A golden whose two arms differ by rounding, with evidence for it.
class EvidenceTest : public GoldenTest {
 protected:
  void SetUp() override {
    GoldenTest::SetUp();
    train("AuthenticAMD", 1);
    add_twins(1e-15);
    ASSERT_EQ(record_now(), Recording::first);
  }
  /// Both arms, the second one with float32 rounding.
  void train(const std::string& cpu, double factor) {
    PlantedRun other = run_of(cpu, factor);
    other.channels["loss"] = rounded(falling_curve(4), 1e-7 * factor);
    add_arm("one_indexed", run_of(cpu, factor));
    add_arm("zero_indexed", other);
    for (auto& [name, arm] : arms)
      arm.resolved = "config of " + name;
  }
  void add_twins(double size) {
    PlantedRun other = run_of();
    other.channels["loss"] = rounded(falling_curve(4), size);
    add_twin("one_indexed", run_of());
    add_twin("zero_indexed", other);
  }
  static std::vector<double> rounded(std::vector<double> values, double size) {
    return changed(std::move(values), [&](size_t i, double value) { return value * (1 + noise(i, size)); });
  }
  static compare::Check claim() {
    compare::Check check = check_of(compare::Relation::equivalent, {"loss"});
    check.arms = {"one_indexed", "zero_indexed"};
    check.because = "x";
    return check;
  }
  std::vector<FreshEvidence> fresh(const compare::Check& check, const std::string& date) {
    const compare::CheckResult result = judge(check, arms);
    EXPECT_TRUE(result.passed) << result.sentence;
    return {{check,
             result.verdict,
             result.measured["collapse_log2"].get<double>(),
             result.twins.value(),
             {date, "parity 0.1.0", "abc", "cpu x", {"run1", "run2"}}}};
  }
  Recording record_now(const std::string& date = "2026-01-02T03:04:05Z", const std::string& reason = "") {
    return record_golden(file, {"lr/warmup", "parity 0.1.0", "c1", "parity golden record"}, arms, reason,
                         Rewrite::when_changed, {fresh(claim(), date)});
  }
  /// Returns the valid evidence for a check of the arms in their current state.
  const EvidenceRecord* standing(const compare::Check& check = claim()) {
    golden_ = read_golden(file);
    const auto binding = evidence_binding(check, *golden_, arms);
    return binding ? find_evidence(golden_->evidence, *binding) : nullptr;
  }
  /// Changes bytes of the file and renews its seal, so that the seal does not show the change.
  void edit_and_seal(const std::string& from, const std::string& to) {
    std::string bytes = read_file(file);
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_EQ(from.size(), to.size());
    bytes.replace(at, from.size(), to);
    uint64_t offset = 0;
    {
      const trace::InputFile input(file);
      offset = input.offset(input.dataset(input.root(), "seal")).value();
    }
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), 16, '\0');
    write_file(file, bytes);
    close_seal(file, offset);
  }
  /// Returns what a reader reports about the file.
  std::string damage() {
    const Golden golden = read_golden(file);
    EXPECT_TRUE(golden.sealed) << "the seal was given anew";
    EXPECT_FALSE(golden.intact());
    return damage_text(golden, file);
  }

 private:
  std::optional<Golden> golden_;
};

TEST_F(EvidenceTest, StandsWhereTheBitsAreTheGoldens) {
  const EvidenceRecord* record = standing();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->claim, "loss equivalent: one_indexed, zero_indexed");
  EXPECT_EQ(record->verdict, compare::Verdict::rounding);
  EXPECT_GT(record->collapse_log2, 20);
  EXPECT_EQ(record->origin.date, "2026-01-02T03:04:05Z");
  EXPECT_EQ(record->origin.runs, (std::vector<std::string>{"run1", "run2"}));
  EXPECT_EQ(record->twins, judge(claim(), arms).twins) << "every number as it was, bit for bit";
  EXPECT_TRUE(read_golden(file).intact());
}

TEST_F(EvidenceTest, DoesNotStandOnceABitOfEitherArmChanged) {
  for (const char* name : {"one_indexed", "zero_indexed"}) {
    train("AuthenticAMD", 1);
    ASSERT_TRUE(standing());
    PlantedRun run = run_of();
    for (PlantedTensor& tensor : run.tensors)
      if (tensor.key.phase == trace::Phase::param &&
          tensor.key.step == 4)  // stored, but not judged by the check
        tensor.values = std::vector<float>(100, 0.25F);
    if (std::string(name) == "zero_indexed")
      run.channels["loss"] = rounded(falling_curve(4), 1e-7);
    add_arm(name, run);
    EXPECT_FALSE(standing()) << name;
  }
}

TEST_F(EvidenceTest, DoesNotStandForAnotherConfigOrNone) {
  arms["one_indexed"].resolved = "another config";
  EXPECT_FALSE(standing());
  arms["one_indexed"].resolved = "";
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceTest, BeforeAYoungerRuleForItsTwin_DoesNotStand) {
  const auto change = [&](const std::function<void(PlantedRun&)>& edit) {
    PlantedRun run = run_of("AuthenticAMD", 1);
    edit(run);
    const std::string resolved = arms.at("one_indexed").resolved;
    add_arm("one_indexed", run);
    arms.at("one_indexed").resolved = resolved;
    const auto binding = evidence_binding(claim(), read_golden(file), arms);
    return binding ? binding->arms.front().resolved : "no binding";
  };
  EXPECT_EQ(change([](PlantedRun&) {}), "config of one_indexed");
  EXPECT_EQ(change([](PlantedRun& run) { run.config["train"]["float8"] = "first"; }),
            "config of one_indexed cut weights");
  EXPECT_EQ(change([](PlantedRun& run) { run.config["train"]["float8"] = "each_forward"; }),
            "config of one_indexed");
  EXPECT_EQ(change([](PlantedRun& run) { run.config["data"]["source"] = "rollouts"; }),
            "config of one_indexed same batches");
}

TEST_F(EvidenceTest, DoesNotStandForAnotherCheck) {
  std::vector<compare::Check> others(4, claim());
  others[0].because = "y";
  others[1].steps = range(1, 4);
  others[2].relation = compare::Relation::distinct;
  others[3].arms = {"zero_indexed", "one_indexed"};
  for (const compare::Check& other : others)
    EXPECT_FALSE(standing(other)) << name_of(other.relation) << " " << other.because;
}

TEST_F(EvidenceTest, UnfinishedOrUnstoredArm_HasNoEvidence) {
  arms["one_indexed"].crashed = true;
  EXPECT_FALSE(standing());
  arms["one_indexed"].crashed = false;
  compare::Check other = claim();
  other.arms = {"one_indexed", "third"};
  arms["third"] = arms["zero_indexed"];
  EXPECT_FALSE(standing(other));
}

/// The golden keeps one_indexed alone, and its evidence is about both.
class EvidenceOfAnotherArmTest : public EvidenceTest {
 protected:
  void SetUp() override {
    EvidenceTest::SetUp();
    std::filesystem::remove(file);
    record_kept("2026-01-02T03:04:05Z");
    ASSERT_FALSE(read_golden(file).arms.contains("zero_indexed"));
    ASSERT_TRUE(standing());
  }
  void record_kept(const std::string& date) {
    EvidenceToKeep evidence{fresh(claim(), date), arms};
    evidence.other_arms.erase("one_indexed");
    record_golden(file, {"lr/warmup", "parity 0.1.0", "c1", "x"}, {{"one_indexed", arms["one_indexed"]}},
                  "why", Rewrite::when_changed, evidence);
  }
};

TEST_F(EvidenceOfAnotherArmTest, UnjudgedChannelChanged_InvalidatesEvidence) {
  PlantedRun run = run_of();
  run.channels["loss"] = rounded(falling_curve(4), 1e-7);
  run.channels["batch_digest"] = std::vector<int64_t>{7, 8, 9, 11};
  add_arm("zero_indexed", run);
  arms["zero_indexed"].resolved = "config of zero_indexed";
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceOfAnotherArmTest, EarlyEndOrOtherConfig_InvalidatesEvidence) {
  arms["zero_indexed"].failure = "rank 1 was killed";
  EXPECT_FALSE(standing());
  arms["zero_indexed"].failure = "";
  arms["zero_indexed"].trace = nullptr;
  EXPECT_FALSE(standing());
  train("AuthenticAMD", 1);
  arms["zero_indexed"].resolved = "another config";
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceOfAnotherArmTest, OfOtherBitsTakesThePlaceOfTheOld) {
  PlantedRun run = run_of();
  run.channels["loss"] = rounded(falling_curve(4), 2e-7);
  add_arm("zero_indexed", run);
  arms["zero_indexed"].resolved = "config of zero_indexed";
  record_kept("2026-05-05T00:00:00Z");
  ASSERT_EQ(read_golden(file).evidence.records.size(), 1U);
  EXPECT_EQ(standing()->origin.date, "2026-05-05T00:00:00Z");
}

TEST_F(EvidenceTest, OfNumbersThatAreNotFiniteIsNotKept) {
  for (double compare::TwinMeasure::* number :
       {&compare::TwinMeasure::floor, &compare::TwinMeasure::distance_a, &compare::TwinMeasure::distance_b}) {
    std::vector<FreshEvidence> bad = fresh(claim(), "2026-01-03T00:00:00Z");
    bad.front().twins.measures.front().*number = std::nan("");
    record_golden(file, {"lr/warmup", "parity 0.1.0", "c1", "x"}, arms, "", Rewrite::always, {bad});
    EXPECT_TRUE(read_golden(file).evidence.records.empty());
    EXPECT_FALSE(standing());
  }
}

TEST_F(EvidenceTest, KeepsItsDateWhileItStands) {
  const std::string bytes = read_file(file);
  EXPECT_EQ(record_now("2026-05-05T00:00:00Z"), Recording::unchanged);
  EXPECT_EQ(read_file(file), bytes);
}

TEST_F(EvidenceTest, OfOtherNumbersTakesThePlaceOfTheOld) {
  std::vector<FreshEvidence> now = fresh(claim(), "2026-05-05T00:00:00Z");
  now.front().twins.measures.front().gap *= 2;
  EXPECT_TRUE(record_evidence(file, arms, {now}));
  ASSERT_EQ(read_golden(file).evidence.records.size(), 1U);
  EXPECT_EQ(standing()->origin.date, "2026-05-05T00:00:00Z");
}

TEST_F(EvidenceTest, IsAddedToAGoldenWithoutAReason) {
  Golden old = read_golden(file);
  old.evidence = {};
  write_golden(file, old);
  EXPECT_FALSE(standing());
  EXPECT_EQ(record_now(), Recording::evidence);
  EXPECT_TRUE(standing());
  const Golden golden = read_golden(file);
  EXPECT_TRUE(golden.history.empty());
  EXPECT_EQ(golden.stored_digest, old.stored_digest);
  EXPECT_EQ(golden.origin.commit, old.origin.commit);
}

TEST_F(EvidenceTest, VariantEvidence_HoldsInItsEnvironment) {
  train("GenuineIntel", 1 + 1e-7);
  record_variant(file, {"lr/warmup", "parity 0.1.0", "c2", "x"}, arms, "new runners");
  EXPECT_FALSE(standing()) << "what the golden's own environment showed says nothing of this one";
  EXPECT_TRUE(record_evidence(file, arms, {fresh(claim(), "2026-06-06T00:00:00Z")}));
  ASSERT_TRUE(standing());
  EXPECT_EQ(standing()->origin.date, "2026-06-06T00:00:00Z");
  const std::string bytes = read_file(file);
  EXPECT_FALSE(record_evidence(file, arms, {fresh(claim(), "2026-07-07T00:00:00Z")}));
  train("AuthenticAMD", 1);
  ASSERT_TRUE(standing());
  EXPECT_EQ(standing()->origin.date, "2026-01-02T03:04:05Z");
  EXPECT_EQ(record_now("2026-08-08T00:00:00Z"), Recording::unchanged);
  EXPECT_EQ(read_file(file), bytes) << "both environments record the same bytes";
}

TEST_F(EvidenceTest, EndsWithTheCheckThatItIsOf) {
  compare::Check reworded = claim();
  reworded.because = "another reason";
  EXPECT_TRUE(record_evidence(file, arms, {fresh(reworded, "2026-05-05T00:00:00Z")}));
  EXPECT_EQ(read_golden(file).evidence.records.size(), 1U);
  EXPECT_FALSE(standing());
  EXPECT_TRUE(standing(reworded));
}

TEST_F(EvidenceTest, WithAnEditedNumberIsRefusedByItsDigest) {
  const std::string text = Json(read_golden(file).evidence.records.front().collapse_log2).dump();
  std::string edited = text;
  edited.back() = edited.back() == '1' ? '2' : '1';
  edit_and_seal(text, edited);
  EXPECT_THAT(damage(), AllOf(HasSubstr(file.string()), HasSubstr("does not match its digest"),
                              HasSubstr("record it again")));
  EXPECT_FALSE(standing());
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("loss equivalent: one_indexed, zero_indexed"));
}

TEST_F(EvidenceTest, WithAnEditedDateIsRefusedByItsDigest) {
  edit_and_seal("2026-01-02T03", "2026-09-02T03");
  EXPECT_THAT(damage(), HasSubstr("does not match its digest"));
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceTest, ThatIsNoRecordIsRefused) {
  edit_and_seal("\"claim\"", "\"chaim\"");
  EXPECT_THAT(damage(), HasSubstr("record 1 of its evidence"));
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceTest, EditedWithoutANewSealIsRefusedToo) {
  edit("r = f['evidence/records']\nr[0] = r[0].replace(b'2026-01-02', b'2026-01-03')");
  EXPECT_FALSE(read_golden(file).intact());
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceTest, OfAnotherGoldenDoesNotStandHere) {
  const GoldenEvidence foreign = read_golden(file).evidence;
  PlantedRun other = run_of();
  other.channels["loss"] = rounded(falling_curve(4), 3e-7);
  add_arm("zero_indexed", other);
  arms["zero_indexed"].resolved = "config of zero_indexed";
  ASSERT_EQ(record_now("2026-02-02T00:00:00Z", "other values"), Recording::changed);
  ASSERT_TRUE(standing());
  Golden pasted = read_golden(file);
  pasted.evidence = foreign;
  write_golden(file, pasted);
  ASSERT_TRUE(read_golden(file).intact()) << "every digest and the seal hold";
  EXPECT_FALSE(standing()) << "bound to other values";
}

TEST_F(EvidenceTest, OfAnotherVersionIsNotRead) {
  for (const char* version : {"1", "3"}) {
    edit(std::string("f['evidence'].attrs['version'] = ") + version);
    EXPECT_TRUE(read_golden(file).evidence.records.empty());
    EXPECT_TRUE(read_golden(file).evidence.problem.empty());
  }
}

TEST_F(EvidenceTest, IsNoneInAFileOfAnOlderSchema) {
  edit("f.attrs['schema'] = 'parity.golden/1.0'\ndel f['seal'], f['evidence'], f.attrs['history']");
  EXPECT_TRUE(read_golden(file).intact());
  EXPECT_FALSE(has_evidence(file));
  EXPECT_FALSE(standing());
}

TEST_F(EvidenceTest, SurvivesFloorsThatAreRecordedLater) {
  compare::Floors floors;
  floors.kinds = {"twin"};
  floors.arms["one_indexed"].rows = {{"loss", 1, 8.0, {1e-7}}};
  record_floors(file, {"lr/warmup", "parity 0.1.0", "c1", "x"}, floors);
  EXPECT_TRUE(standing());
}

}  // namespace
}  // namespace parity::golden
