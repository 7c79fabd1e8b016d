// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/job_state.hpp"

#include <gtest/gtest.h>

namespace parity::suite {
namespace {

TEST(JobStateTest, WordsOfSlurm_HaveTheirState) {
  EXPECT_EQ(parse_job_state("PENDING"), JobState::queued);
  EXPECT_EQ(parse_job_state("COMPLETING"), JobState::running);
  EXPECT_EQ(parse_job_state("COMPLETED"), JobState::completed);
  EXPECT_EQ(parse_job_state("CANCELLED by 1000"), JobState::cancelled);
  EXPECT_EQ(parse_job_state("CANCELLED+"), JobState::cancelled);
  EXPECT_EQ(parse_job_state("TIMEOUT"), JobState::expired);
  EXPECT_EQ(parse_job_state("BOOT_FAIL"), JobState::node_failed);
}

TEST(JobStateTest, UnknownWord_CountsAsRunning) {
  EXPECT_EQ(parse_job_state("SOMETHING_NEW"), JobState::running);
  EXPECT_EQ(parse_job_state(""), JobState::running);
  EXPECT_FALSE(has_ended(parse_job_state("COMPLETE")));  // not a word of Slurm
}

TEST(JobStateTest, ListOfSqueue_HasJobsByIdAndName) {
  const JobList jobs = parse_squeue(
      "12|RUNNING|node1|None|parity-1\n"
      "13|PENDING||Priority|parity-2\n"
      "broken line\n"
      "|RUNNING|node1|None|nameless\n"
      "14|RUNNING|no");
  ASSERT_EQ(jobs.by_id.size(), 2U);
  EXPECT_EQ(jobs.by_id.at("12").nodes, "node1");
  EXPECT_EQ(jobs.by_id.at("13").reason, "Priority");
  EXPECT_EQ(jobs.id_of_name.at("parity-2"), "13");
}

TEST(JobStateTest, AnswerOfScontrol_HasStateAndExitStatus) {
  const JobEntry entry = parse_scontrol(
      "JobId=5 JobName=wrap JobState=FAILED Reason=NonZeroExitCode ExitCode=66:0 ReqNodeList=(null) "
      "NodeList=node1 NumNodes=1\n");
  EXPECT_EQ(entry.state, JobState::failed);
  EXPECT_EQ(entry.exit_status, 66);
  EXPECT_EQ(entry.nodes, "node1");
  EXPECT_EQ(entry.reason, "NonZeroExitCode");
}

TEST(JobStateTest, AnswerOfSacct_HasStateAndSignal) {
  const JobEntry entry = parse_sacct("CANCELLED by 0|0:9|node2\n");
  EXPECT_EQ(entry.state, JobState::cancelled);
  EXPECT_EQ(entry.exit_status, 128 + 9);
  EXPECT_EQ(entry.nodes, "node2");
  EXPECT_EQ(parse_sacct("COMPLETED|0:0|None assigned").nodes, "");
}

TEST(JobStateTest, EmptyAnswer_KnowsNoJob) {
  EXPECT_EQ(parse_scontrol("").word, "");
  EXPECT_EQ(parse_sacct("").word, "");
  EXPECT_EQ(parse_sacct("Slurm accounting storage is disabled").word, "");
  EXPECT_TRUE(parse_squeue("").by_id.empty());
}

}  // namespace
}  // namespace parity::suite
