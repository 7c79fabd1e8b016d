// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/job.hpp"

#include <map>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Job job_of(const Variables& variables) {
  return job_from_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

std::string complaint_about(const Variables& variables) {
  try {
    job_of(variables);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(JobTest, WithoutALauncherThereIsOneRank) {
  const Job job = job_of({{"MASTER_ADDR", "left over"}});
  EXPECT_EQ(job.rank, 0);
  EXPECT_EQ(job.world_size, 1);
}

TEST(JobTest, TorchrunSaysEverythingAndKeepsTheStore) {
  const Job job = job_of({{"RANK", "5"},
                          {"WORLD_SIZE", "8"},
                          {"LOCAL_RANK", "1"},
                          {"MASTER_ADDR", "node1"},
                          {"MASTER_PORT", "4000"},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  EXPECT_EQ(job.rank, 5);
  EXPECT_EQ(job.world_size, 8);
  EXPECT_EQ(job.local_rank, 1);
  EXPECT_EQ(job.master_address, "node1");
  EXPECT_EQ(job.master_port, 4000);
  EXPECT_TRUE(job.store_is_served);
}

TEST(JobTest, ParityGivesAFileToMeetIn) {
  const Job job = job_of({{"RANK", "0"},
                          {"WORLD_SIZE", "2"},
                          {"PARITY_RENDEZVOUS", "/runs/a/store"},
                          {"MASTER_ADDR", "127.0.0.1"}});
  EXPECT_EQ(job.file, "/runs/a/store");
  EXPECT_EQ(job.launcher, "parity");
}

TEST(JobTest, SlurmCountsInAStepOnly) {
  const Variables step = {{"SLURM_PROCID", "3"},
                          {"SLURM_STEP_NUM_TASKS", "4"},
                          {"SLURM_LOCALID", "3"},
                          {"SLURM_STEP_NUM_NODES", "1"}};
  const Job job = job_of(step);
  EXPECT_EQ(job.launcher, "srun");
  EXPECT_EQ(job.rank, 3);
  EXPECT_EQ(job.master_address, "127.0.0.1");
  EXPECT_EQ(job.master_port, 29500);
  EXPECT_EQ(job_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).world_size, 1)
      << "the shell of an allocation";
}

TEST(JobTest, OpenMpiIsUnderstood) {
  const Job job = job_of({{"OMPI_COMM_WORLD_RANK", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "2"},
                          {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                          {"MASTER_PORT", "31000"}});
  EXPECT_EQ(job.launcher, "mpirun");
  EXPECT_EQ(job.rank, 1);
  EXPECT_EQ(job.master_address, "127.0.0.1");
  EXPECT_EQ(job.master_port, 31000);
}

TEST(JobTest, MpichIsUnderstood) {
  const Job job = job_of({{"PMI_RANK", "3"},
                          {"PMI_SIZE", "4"},
                          {"MPI_LOCALRANKID", "1"},
                          {"MPI_LOCALNRANKS", "2"},
                          {"MASTER_ADDR", "node1"}});
  EXPECT_EQ(job.launcher, "mpiexec");
  EXPECT_EQ(job.rank, 3);
  EXPECT_EQ(job.world_size, 4);
  EXPECT_EQ(job.local_rank, 1);
}

TEST(JobTest, MpiGoesBeforeTheSlurmStepOfItsDaemons) {
  const Variables daemons = {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"MASTER_ADDR", "node1"}};
  for (const Variables& ranks : {Variables{{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
                                 Variables{{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}}}) {
    Variables all = daemons;
    all.insert(ranks.begin(), ranks.end());
    EXPECT_EQ(job_of(all).rank, 2);
    EXPECT_EQ(job_of(all).world_size, 4);
  }
}

TEST(JobTest, TorchrunGoesBeforeTheSlurmStepItRunsIn) {
  const Job job = job_of({{"RANK", "1"},
                          {"WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "node1"},
                          {"SLURM_PROCID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_EQ(job.launcher, "torchrun");
  EXPECT_EQ(job.world_size, 2);
}

TEST(JobTest, SaysWhatIsMissingOrWrong) {
  EXPECT_THAT(complaint_about({{"RANK", "0"}}), HasSubstr("WORLD_SIZE is not set (RANK is"));
  EXPECT_THAT(complaint_about({{"WORLD_SIZE", "2"}}), HasSubstr("RANK is not set (WORLD_SIZE is"));
  EXPECT_THAT(complaint_about({{"RANK", "two"}, {"WORLD_SIZE", "4"}}),
              HasSubstr("cannot use RANK = 'two' ("));
  EXPECT_THAT(complaint_about({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}), HasSubstr("RANK = '-1'"));
  EXPECT_THAT(complaint_about({{"RANK", "4"}, {"WORLD_SIZE", "4"}}), HasSubstr("ranks count from 0"));
  EXPECT_THAT(complaint_about({{"RANK", "1"}, {"WORLD_SIZE", "4"}}),
              HasSubstr("MASTER_ADDR is not set (4 ranks"));
  EXPECT_THAT(
      complaint_about({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_STEP_NUM_NODES", "2"}}),
      HasSubstr("set it to the machine of rank 0"));
}

}  // namespace
}  // namespace parity::reference
