// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/words.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

namespace parity::suite {
namespace {
using testing::ElementsAre;

const Words rank = {"parity", "rank", "DIR"};

/// Returns a run of four ranks.
PlannedRun run_of(Launcher launcher, int nodes, Words options = {}) {
  PlannedRun run;
  run.ranks = 4;
  run.threads = 3;
  run.launch = {launcher, nodes, 4 / nodes, std::move(options)};
  return run;
}

TEST(LaunchWordsTest, TorchrunOnOneNode_IsStandalone) {
  EXPECT_THAT(launch_words(run_of(Launcher::torchrun, 1, {"--max-restarts=0"}),
                           {"/v/torchrun", false, "host", 7}, rank),
              ElementsAre(ElementsAre("/v/torchrun", "--standalone", "--max-restarts=0", "--nproc-per-node",
                                      "4", "--no-python", "parity", "rank", "DIR")));
}

TEST(LaunchWordsTest, TorchrunOnNodesOfThisMachine_HasAnAgentForEach) {
  const auto all = launch_words(run_of(Launcher::torchrun, 2), {"torchrun", false, "host", 7}, rank);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[1], ElementsAre("torchrun", "--nnodes", "2", "--node-rank", "1", "--master-addr",
                                  "127.0.0.1", "--master-port", "7", "--nproc-per-node", "2", "--no-python",
                                  "parity", "rank", "DIR"));
}

TEST(LaunchWordsTest, TorchrunInAJobOfSlurm_StartsItsAgentsBySrun) {
  EXPECT_THAT(launch_words(run_of(Launcher::torchrun, 2), {"torchrun", true, "node1", 7}, rank),
              ElementsAre(ElementsAre("srun", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1",
                                      "--kill-on-bad-exit=1", "torchrun", "--nnodes", "2", "--rdzv-backend",
                                      "c10d", "--rdzv-id", "parity", "--rdzv-endpoint", "node1:7",
                                      "--nproc-per-node", "2", "--no-python", "parity", "rank", "DIR")));
}

TEST(LaunchWordsTest, Mpirun_HasTheRanksAndTheirNodes) {
  EXPECT_THAT(launch_words(run_of(Launcher::mpirun, 1, {"--oversubscribe"}), {"mpirun", false, "", 0}, rank),
              ElementsAre(ElementsAre("mpirun", "-np", "4", "--oversubscribe", "parity", "rank", "DIR")));
  EXPECT_THAT(
      launch_words(run_of(Launcher::mpirun, 2), {"mpirun", false, "", 0}, rank),
      ElementsAre(ElementsAre("mpirun", "-np", "4", "--map-by", "ppr:2:node", "parity", "rank", "DIR")));
}

TEST(LaunchWordsTest, Srun_HasNodesTasksAndThreads) {
  EXPECT_THAT(
      launch_words(run_of(Launcher::srun, 2, {"--partition=x"}), {"srun", true, "", 0}, rank),
      ElementsAre(ElementsAre("srun", "--nodes=2", "--ntasks=4", "--ntasks-per-node=2", "--cpus-per-task=3",
                              "--kill-on-bad-exit=1", "--partition=x", "parity", "rank", "DIR")));
}

TEST(LaunchWordsTest, RemoteShell_StartsEachRankOnItsHost) {
  PlannedRun run = run_of(Launcher::remote, 2, {"netns", "{host}"});
  run.launch.hosts = {"a", "b"};
  ::unsetenv("MASTER_ADDR");
  const auto all = launch_words(run, {"netns", false, "", 0}, rank);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_THAT(all[1], ElementsAre("netns", "a", "env", "RANK=1", "LOCAL_RANK=1", "WORLD_SIZE=4", "parity",
                                  "rank", "DIR"));
  EXPECT_THAT(all[2], ElementsAre("netns", "b", "env", "RANK=2", "LOCAL_RANK=0", "WORLD_SIZE=4", "parity",
                                  "rank", "DIR"));
}

TEST(LaunchWordsTest, ShellThatJoinsWords_GetsAQuotedCommand) {
  PlannedRun run = run_of(Launcher::remote, 1, {"ssh", "{host}", "{command}"});
  run.launch.hosts = {"a"};
  ::setenv("MASTER_ADDR", "10.0.0.1", 1);
  const auto all = launch_words(run, {"ssh", false, "", 0}, {"parity", "rank", "a b"});
  ::unsetenv("MASTER_ADDR");
  EXPECT_THAT(
      all[3],
      ElementsAre("ssh", "a", "env RANK=3 LOCAL_RANK=3 WORLD_SIZE=4 MASTER_ADDR=10.0.0.1 parity rank 'a b'"));
}

TEST(LaunchWordsTest, External_IsTheCasesWords) {
  const Words options = {"flux", "run", "-N{nodes}", "-n", "{ranks}", "--per={ranks_per_node}"};
  EXPECT_THAT(launch_words(run_of(Launcher::external, 2, options), {"flux", false, "", 0}, rank),
              ElementsAre(ElementsAre("flux", "run", "-N2", "-n", "4", "--per=2", "parity", "rank", "DIR")));
}

}  // namespace
}  // namespace parity::suite
