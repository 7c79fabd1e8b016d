// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/repeat/soak_record.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "tests/support/scratch.hpp"

namespace parity::repeat {
namespace {

using compare::Condition;
using testing::HasSubstr;

SoakRecord clean_record(int64_t plain, int64_t loaded = 0) {
  SoakRecord record;
  record.target = "a:x";
  record.clean[Condition::none] = plain;
  if (loaded > 0)
    record.clean[Condition::load] = loaded;
  return record;
}

SoakFinding finding(const std::string& verdict) {
  SoakFinding found;
  found.repetition = 3;
  found.under = Condition::load;
  found.verdict = verdict;
  found.sentence = "it differs";
  found.step = 2;
  found.rank = 1;
  return found;
}

TEST(SoakRecordTest, CleanRepetitions_Are0) {
  const SoakRecord record = clean_record(20, 4);
  EXPECT_EQ(record.exit_code({}), ExitCode::agree);
  EXPECT_THAT(record.sentence({}),
              HasSubstr("24 of 24 repetitions of a:x have the bits of the first run (20 plain "
                        "and 4 under load)"));
  EXPECT_THAT(record.sentence({}),
              HasSubstr("24 clean repetitions exclude that more than 11.7 % of the runs differ (at 95 %)"));
}

TEST(SoakRecordTest, TooFewForTheRate_Are3) {
  EXPECT_EQ(clean_record(298).exit_code(0.01), ExitCode::missing);
  EXPECT_THAT(clean_record(298).sentence(0.01), HasSubstr("not proven: a rate of 1 % needs 299"));
  EXPECT_EQ(clean_record(299).exit_code(0.01), ExitCode::agree);
}

TEST(SoakRecordTest, NoRepetition_Is3) {
  EXPECT_EQ(SoakRecord().exit_code({}), ExitCode::missing);
}

TEST(SoakRecordTest, Findings_DecideTheExitCode) {
  SoakRecord record = clean_record(1000);
  record.findings = {finding("crashed")};
  EXPECT_EQ(record.exit_code({}), ExitCode::crashed);
  record.findings.push_back(finding("different"));
  EXPECT_EQ(record.exit_code({}), ExitCode::differ);
  record.findings = {finding("missing")};
  EXPECT_EQ(record.exit_code({}), ExitCode::missing);
}

class SavedRecordTest : public FolderTest {};

TEST_F(SavedRecordTest, File_KeepsEverything) {
  SoakRecord record = clean_record(5, 2);
  record.identity = "i";
  record.findings = {finding("different")};
  record.seconds = 12;
  record.save(folder);
  const auto again = SoakRecord::load(folder);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->to_json({}), record.to_json({}));
  EXPECT_EQ(again->count(), 8);
}

TEST_F(SavedRecordTest, NoFile_IsNone) {
  EXPECT_FALSE(SoakRecord::load(folder));
}

TEST_F(SavedRecordTest, DamagedFile_IsRefused) {
  SoakRecord record = clean_record(5);
  record.save(folder);
  const std::string text = read_file(folder / "state.json");
  for (const std::string& damaged : {std::string(), text.substr(0, text.size() / 2), std::string("{}")}) {
    write_file(folder / "state.json", damaged);
    EXPECT_THROW(SoakRecord::load(folder), UserError) << damaged;
  }
}

}  // namespace
}  // namespace parity::repeat
