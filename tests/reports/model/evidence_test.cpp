// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/checks/evidence.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json stored(const std::string& date) {
  return {{"source", "stored"}, {"date", date},           {"producer", "parity 0.1.0"},
          {"commit", "abc123"}, {"environment", "cpu x"}, {"runs", {"r1", "r2"}}};
}

/// The sample, in which two passed checks rest on stored evidence and the twins of a third one ran.
Json sample_on_evidence() {
  Json json = sample_json();
  std::vector<Json> evidence = {
      {{"source", "measured"}}, stored("2026-11-23T10:00:00Z"), stored("2026-10-20T10:00:00Z")};
  for (Json& item : json["cases"])
    for (Json& check : item["checks"])
      if (!evidence.empty() && check["passed"] == true && item["passed"] == true) {
        check["evidence"] = evidence.back();
        evidence.pop_back();
      }
  return json;
}

std::string complaint(const Json& evidence) {
  Json json = sample_json();
  json["cases"][0]["checks"][0]["evidence"] = evidence;
  try {
    parse_results(json.dump(), "results");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckEvidenceTest, IsReadWithItsOriginOrNotAtAll) {
  EXPECT_EQ(complaint(nullptr), "");
  EXPECT_EQ(complaint({{"source", "measured"}}), "");
  EXPECT_EQ(complaint(stored("2026-11-23T10:00:00Z")), "");
  EXPECT_THAT(complaint({{"source", "guessed"}}), HasSubstr("cases[0].checks[0].evidence.source"));
  EXPECT_THAT(complaint({{"source", "stored"}}), HasSubstr("date is missing"));
  EXPECT_THAT(complaint("stored"), HasSubstr("cases[0].checks[0].evidence"));
}

TEST(CheckEvidenceTest, OfACheckThatFailedIsRefused) {
  Json json = sample_json();
  for (Json& item : json["cases"])
    for (Json& check : item["checks"])
      if (check["passed"] == false)
        check["evidence"] = stored("2026-11-23T10:00:00Z");
  EXPECT_THROW(parse_results(json.dump(), "results"), UserError);
}

TEST(EvidenceLabelTest, NamesDayProgramAndCommit) {
  CheckEvidence evidence{
      CheckEvidence::Source::stored, "2026-11-23T10:00:00Z", "parity 0.1.0", "abc", "cpu x", {}};
  EXPECT_EQ(evidence_label(evidence),
            "evidence of 2026-11-23 (parity 0.1.0, commit abc), bits unchanged since");
  evidence.producer = evidence.commit = "";
  EXPECT_EQ(evidence_label(evidence), "evidence of 2026-11-23, bits unchanged since");
  EXPECT_EQ(evidence_label(CheckEvidence()), "") << "its twins ran";
  EXPECT_EQ(evidence_label(std::nullopt), "");
}

TEST(EvidenceShareTest, CountsStoredAmongThoseThatNeedAny) {
  const Results results = parse_results(sample_on_evidence().dump(), "results").results();
  const EvidenceShare share = results.evidence();
  EXPECT_EQ(share.on_twins, 3U);
  EXPECT_EQ(share.stored, 2U);
  EXPECT_EQ(share.label(), "2 of 3 float64 checks on stored evidence, the oldest of 2026-10-20");
  EXPECT_EQ(sample().evidence().label(), "");
}

TEST(EvidenceShareTest, IsShownInEveryForm) {
  const ResultsFile results = parse_results(sample_on_evidence().dump(), "results");
  for (const char* form : {"terminal", "summary", "html"})
    EXPECT_THAT(as(form, results), HasSubstr("2 of 3 float64 checks on stored evidence")) << form;
  EXPECT_THAT(as("junit", results), HasSubstr("<property name=\"evidence\" value=\""));
  for (const char* form : {"terminal", "summary", "html", "junit"})
    EXPECT_THAT(as(form, sample_file()), Not(HasSubstr("stored evidence"))) << form;
}

TEST(EvidenceLabelTest, MarksEachVerdictInEveryForm) {
  const ResultsFile results = parse_results(sample_on_evidence().dump(), "results");
  for (const char* form : {"terminal", "summary", "html", "junit"}) {
    std::string text = as(form, results);
    for (size_t at = 0; (at = text.find_first_of("\n\\", at)) != std::string::npos;)
      text[at] == '\n' ? text.replace(at, 1, " ") : text.erase(at, 1);
    while (text.find("  ") != std::string::npos)
      text.erase(text.find("  "), 1);
    EXPECT_THAT(text, HasSubstr("evidence of 2026-10-20 (parity 0.1.0, commit abc123), bits unchanged since"))
        << form;
  }
}

}  // namespace
}  // namespace parity::reports
