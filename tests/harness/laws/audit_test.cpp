// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/audit.hpp"

#include "harness/base/error.hpp"
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class AuditTest : public LawTest {};

TEST_F(AuditTest, LawfulRun_Agrees) {
  const Audit found = audit(*write("run", trained()));
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.to_json().dump(1);
  EXPECT_THAT(found.verdict(), HasSubstr("lawful: "));
  const Json json = found.to_json();
  EXPECT_EQ(json.at("schema"), "parity.audit/1");
  EXPECT_EQ(json.at("laws").size(), all_laws().size());
}

TEST_F(AuditTest, OneDeparture_Differs) {
  PlantedRun run = trained();
  scale(tensor(run, 3, Phase::grad_clipped, "norm.weight"), 1.5F);
  const Audit found = audit(*write("run", run));
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_THAT(found.verdict(), HasSubstr("unlawful: "));
}

TEST_F(AuditTest, NothingAsked_IsMissing) {
  PlantedRun run;
  run.channels = {{"anything", std::vector<double>{1, 2}}};
  const Audit found = audit(*write("run", run));
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_EQ(found.verdict(), "undecided: no law could be asked");
  for (const Audit::Row& row : found.rows) {
    EXPECT_FALSE(row.finding.why.empty()) << row.law->name;
    EXPECT_FALSE(row.finding.record.empty()) << row.law->name;
  }
}

TEST_F(AuditTest, FailedRun_IsNotAgreement) {
  PlantedRun run = trained();
  run.failure = {{"kind", "non_finite"}};
  EXPECT_EQ(audit(*write("run", run)).exit_code(), ExitCode::crashed);
}

TEST_F(AuditTest, ChosenLaws_AreAsked) {
  const trace::Trace& trace = *write("run", trained());
  EXPECT_EQ(audit(trace, {"clip"}).rows.size(), 1U);
  EXPECT_THROW(audit(trace, {"clop"}), UserError);
}

TEST_F(AuditTest, ALossThatIsNoNumber_IsUnlawful) {
  PlantedRun run = trained();
  run.channels["loss"] = std::vector<double>{3, 2, std::nan(""), 1};
  const Audit result = audit(*write("run", run));
  EXPECT_EQ(result.exit_code(), ExitCode::differ);
  EXPECT_THAT(result.verdict(), testing::HasSubstr("unlawful: loss is nan at step 3, which no law allows"));
  EXPECT_EQ(result.to_json()["lawful"], false);
}

}  // namespace
}  // namespace parity::laws
