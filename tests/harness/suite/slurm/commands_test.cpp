// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/commands.hpp"

#include <gmock/gmock.h>

namespace parity::suite {
namespace {
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(SlurmCommandsTest, WordsOfSbatch_AskForTheNeedsOfARun) {
  Site site;
  site.partition = "gpu";
  site.account = "team";
  site.options = {"--constraint=h100"};
  const auto words = sbatch_words(site, {4, 2, 30}, "parity-1", "/out/script.sh");
  for (const char* word : {"--cpus-per-task=4", "--gres=gpu:2", "--time=30", "--partition=gpu",
                           "--account=team", "--constraint=h100", "--no-requeue", "--job-name=parity-1"})
    EXPECT_THAT(words, Contains(word));
  EXPECT_EQ(words.back(), "/out/script.sh");
}

TEST(SlurmCommandsTest, RunWithoutKnownTime_HasTheSitesLimit) {
  Site site;
  EXPECT_THAT(sbatch_words(site, {}, "n", "s"), Not(Contains(HasSubstr("--time"))));
  site.time_minutes = 7;
  EXPECT_THAT(sbatch_words(site, {}, "n", "s"), Contains("--time=7"));
}

TEST(SlurmCommandsTest, JobsDoNotCarryTheMarkOfThisProcess) {
  EXPECT_THAT(sbatch_words({}, {}, "n", "s"), Contains("--export=ALL,PARITY_OFFSPRING="));
}

TEST(SlurmCommandsTest, ScriptQuotesPaths) {
  const std::string script = job_script({}, "/out/it's here", "/bin/parity", "label\nwith line break");
  EXPECT_THAT(script, HasSubstr(R"('/out/it'\''s here')"));
  EXPECT_THAT(script, Not(HasSubstr("\nwith")));
}

TEST(SlurmCommandsTest, FullQueue_MayAcceptLater) {
  EXPECT_TRUE(may_accept_later("sbatch: error: Slurm job queue full, sleeping and retrying.\n"));
  EXPECT_TRUE(may_accept_later("Job violates accounting/QOS policy (job submit limit, user's size)"));
  EXPECT_TRUE(may_accept_later("Unable to contact slurm controller (connect failure)"));
  EXPECT_FALSE(may_accept_later("Invalid account or account/partition combination specified"));
  EXPECT_FALSE(may_accept_later(""));
}

TEST(SlurmCommandsTest, ProblemIsTheFirstLineWithoutTheCommand) {
  EXPECT_EQ(problem_of("sbatch: error: invalid partition specified: x\nsbatch: error: more\n"),
            "invalid partition specified: x");
  EXPECT_EQ(problem_of(""), "no message");
}

}  // namespace
}  // namespace parity::suite
