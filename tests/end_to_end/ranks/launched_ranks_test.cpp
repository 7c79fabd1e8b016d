// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs whose arm names a launcher: torchrun and mpirun start the ranks, and the trace has the bits of ours.
#include <csignal>
#include <thread>

#include <gmock/gmock.h>

#include "harness/base/host_name.hpp"
#include "harness/suite/launch/rank_files.hpp"
#include "harness/suite/runs/heartbeat.hpp"
#include "harness/suite/runs/running_run.hpp"
#include "harness/trace/read/content_digest.hpp"
#include "tests/end_to_end/ranks/small_run.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using suite::Launcher;

class LaunchedRanksTest : public FolderTest {
 protected:
  const std::string trainer = places::build + "/bin/parity-train";

  void SetUp() override {
    FolderTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }

  static suite::PlannedRun run_by(suite::Launch launch, int64_t steps = 5) {
    suite::PlannedRun run = small_run(2, 1, steps);
    run.launch = std::move(launch);
    run.python.interpreter = places::python;
    return run;
  }
  /// Ends the run. \param at_update  called once, after the first update
  suite::RunResult end(const suite::PlannedRun& run,
                       const std::function<void(const fs::path&)>& at_update = {}) const {
    const suite::RunStore store(folder / std::string(name_of(run.launch.launcher)));
    suite::RunningRun running(run, store, trainer);
    bool called = !at_update;
    while (!running.poll()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (!called && running.steps_done() > 0) {
        at_update(running.result().folder);
        called = true;
      }
    }
    return running.result();
  }
  std::string digest_of(const suite::Launch& launch) const {
    const suite::RunResult result = end(run_by(launch));
    EXPECT_TRUE(result.complete()) << (result.failure ? result.failure->message : "");
    const trace::Trace trace = trace::Trace::open(result.folder);
    EXPECT_EQ(trace.ranks(), 2);
    EXPECT_EQ(trace.last_step(), 5);
    return content_digest(trace);
  }
};

TEST_F(LaunchedRanksTest, Torchrun_LeavesTheTraceOfOurLauncher) {
  const std::string own = digest_of({});
  EXPECT_EQ(digest_of({Launcher::torchrun, 1, 2, {}}), own);
  EXPECT_EQ(digest_of({Launcher::torchrun, 2, 1, {}}), own) << "an agent for each of two nodes";
}

TEST_F(LaunchedRanksTest, Mpirun_LeavesTheTraceOfOurLauncher) {
  if (run_shell("command -v mpirun").status != 0)
    GTEST_SKIP() << "needs mpirun of Open MPI (Debian's openmpi-bin)";
  EXPECT_EQ(digest_of({Launcher::mpirun, 1, 2, {"--allow-run-as-root", "--oversubscribe"}}), digest_of({}));
}

TEST_F(LaunchedRanksTest, KilledRankOfTorchrun_IsNamedWithItsHost) {
  const suite::RunResult result =
      end(run_by({Launcher::torchrun, 1, 2, {}}, 100'000), [](const fs::path& run) {
        const Json began = suite::RankFiles(run / "launch.0").began(1);
        ::kill(began.at("pid").get<pid_t>(), SIGKILL);
      });
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, results::FailureKind::crashed);
  EXPECT_THAT(result.failure->message, testing::StartsWith("rank 1 of topic/c:arm on " + host_name() +
                                                           " was killed by signal 9 (KILL)"));
}

}  // namespace
}  // namespace parity
