// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/files/file.hpp"
#include "harness/results/read_case.hpp"
#include "harness/results/schema.hpp"
#include "harness/results/write_case.hpp"
#include "tests/support/places.hpp"

namespace parity::results {
namespace {

Json sample() {
  return Json::parse(read_file(places::source + "/tests/reports/sample_results.json"));
}

/// A case that sets every field of the schema.
Case full_case() {
  Case item;
  item.name = "lr/warmup";
  item.file = "cases/lr/warmup.toml";
  item.title = "Warmup";
  item.question = "Is it one?";
  item.source = "METRICS.md";
  item.tags = {"fast"};
  item.reference = "a";
  item.verdict = "different";
  item.sentence = "1 of 1 checks failed";
  item.seconds = 1.5;
  item.times = CaseTimes{1, 0.25, 0.125, 0.5};
  item.notes = {"a note"};
  item.power = PowerSummary{"sees 1e-6", "a", true};
  item.calibration = Calibration{"parity calibrate lr/warmup", 7, {"twin"}};
  Arm arm;
  arm.name = "a";
  arm.run = "r1";
  arm.twin = "r2";
  arm.trace = "runs/r1/trace.h5";
  arm.cached = true;
  arm.ranks = 2;
  arm.steps = 3;
  arm.seconds = 2;
  arm.tokens_per_second = 100;
  arm.config = {{"lr", {{"base", 1e-3}}}};
  arm.provenance = {{"torch", "2.11"}};
  Arm failed = arm;
  failed.name = "b";
  failed.status = ArmStatus::failed;
  failed.failure = ArmFailure{FailureKind::non_finite, "loss is nan", 2, "grad", "wq"};
  failed.stderr_tail = "tail";
  item.arms = {arm, failed};
  item.config_difference = {{"lr.base", {{"a", 1e-3}, {"b", nullptr}}}};
  item.curves = {{"loss",
                  {1, 2},
                  {{"a", {1.0, std::nullopt}}, {"b", {INFINITY, -INFINITY}}},
                  {{"b", {0.5, NAN}}},
                  {1e-7, std::nullopt},
                  {{"a", {1.0, 2.0}}}}};
  item.masks = {{1, 2, 3, 40, {"a", "b"}, {{0, 0}, {0, 1}}, {{0, 0}, {0, 1}}, 4, 0, 2}};
  Check check;
  check.id = "lr/warmup:1";
  check.kind = CheckKind::replicas;
  check.quantity = "grad wq";
  check.arms = {"a", "b"};
  check.against = "arm";
  check.relation = "lagged";
  check.parameters = {{"lag", 1}};
  check.steps = "2-5";
  check.because = "it must";
  check.verdict = "different";
  check.sentence = "it differs";
  check.measured = {{"max_ulp", 3}};
  check.limit = {{"max_ulp", 0}};
  check.finding = {
      Place{2, "wq", {0, 1}, 1}, 1.5, "nan", "max_ulp", 3, 0, {3.0, 1e-7, 4.0}, "a lag", "next", "cause",
      {"law clip: norm.weight"}};
  check.tensors = {{2, "grad", "wq", false, {{"relative_l2", 1e-7}}}};
  check.bounds = {{"loss", "8 floors", {1, 2}, {0, 1e-6}, {0, 1e-6}, {0, 8e-6}}};
  check.errors = OperatorErrors{
      "the exact result",
      {{"b = 7, float32", {{"b", 7}}, "float32", "grad", "x", false, "imprecise", 12.5, "inf"}},
      {0, 3, 1},
      {{"zeros", "rejected 2 times"}},
      "reproducers/a-1.h5",
      std::nullopt};
  check.picture = TensorPicture{2, "grad", "wq", {2, 2}, true, 2, 2, {0, 1}, {0, 1}, {{0, 0.5}, {0, 0}}};
  check.evidence = CheckEvidence{CheckEvidence::Source::measured, "", "", "", "", {}};
  check.coverage = {"1 tensor at step 2", {{"a", 2, 2, {1, "2", 1}, {1, "2", 1}, {1, "2", 1}}}};
  check.line = 12;
  item.checks = {check};
  item.settings = {"lr.base=1"};
  item.reproduce = "parity run lr/warmup";
  item.judged_from = "abc";
  return item;
}

TEST(CaseJsonTest, EveryFieldSurvivesTheRoundTrip) {
  const Json written = to_json(full_case());
  EXPECT_EQ(to_json(read_case(written)), written);
  const std::string text = written.dump();
  EXPECT_EQ(to_json(read_case(Json::parse(text))).dump(), text) << "also through text";
}

TEST(CaseJsonTest, SampleSurvivesTheRoundTrip) {
  const Json suite = sample();
  for (const Json& item : suite.at("cases")) {
    const Json once = to_json(read_case(item));
    EXPECT_EQ(to_json(read_case(once)), once) << item.at("name");
  }
}

TEST(CaseJsonTest, NanAndInfinityAreKept) {
  const Case item = read_case(to_json(full_case()));
  EXPECT_TRUE(std::isinf(*item.curves[0].series[1].values[0]));
  EXPECT_TRUE(std::isnan(*item.curves[0].gap[0].values[1]));
  EXPECT_FALSE(item.curves[0].series[0].values[1]);
  EXPECT_EQ(item.checks[0].finding.actual, "nan");
}

TEST(CaseJsonTest, Schema1_WorstBecomesTheFinding) {
  Json item = to_json(full_case());
  Json& check = item["checks"][0];
  check.erase("finding");
  check["worst"] = {{"step", 4},       {"tensor", "wq"},      {"index", {0, 1}}, {"expected", 1},
                    {"actual", "inf"}, {"metric", "max_ulp"}, {"value", 3},      {"limit", 0}};
  check["command"] = "parity compare a b";
  check["cause"] = "parity bisect a b";
  const Finding finding = read_case(item).checks[0].finding;
  ASSERT_TRUE(finding.where);
  EXPECT_EQ(finding.where->step, 4);
  EXPECT_EQ(finding.where->index, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(finding.actual, "inf");
  EXPECT_EQ(finding.metric, "max_ulp");
  EXPECT_EQ(finding.distance.ulp, 3);
  EXPECT_EQ(finding.next, "parity compare a b");
  EXPECT_EQ(finding.cause, "parity bisect a b");
}

TEST(CaseJsonTest, UnknownKindOfFailure_IsACrash) {
  Json item = to_json(full_case());
  item["arms"][1]["failure"]["kind"] = "of_a_later_version";
  EXPECT_EQ(read_case(item).arms[1].failure->kind, FailureKind::crashed);
}

TEST(SchemaTest, ReadsVersions1And2) {
  for (const char* name :
       {"parity.results/1", "parity.results/1.3", "parity.results/2", "parity.results/2.1"})
    EXPECT_TRUE(is_readable(name)) << name;
  for (const char* name : {"", "parity.results/", "parity.results/10", "parity.results/3", "parity.trace/1"})
    EXPECT_FALSE(is_readable(name)) << name;
}

}  // namespace
}  // namespace parity::results
