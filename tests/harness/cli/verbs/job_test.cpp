// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity job`: what a job of a scheduler does on its node, here without one.
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/plan/planned_run_json.hpp"
#include "harness/suite/slurm/attempt.hpp"
#include "harness/suite/slurm/execute.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;

class JobTest : public ProgramTest {
 protected:
  /// Executes a run of a shell script. \return the result that its job leaves
  /// \param before  words before the program: variables
  Json result_of(const std::string& script, const Json& cpu = suite::this_machine().cpu,
                 const std::string& before = "env") const {
    suite::PlannedRun run;
    run.id = "0123456789abcdef";
    run.label = "topic/c:arm";
    run.identity = json_text({{"cpu", cpu}});
    run.command = {"/bin/sh", "-c", script};
    run.timeout_seconds = 60;
    const auto attempt = suite::Attempt::create(folder_ / "out/jobs" / run.id,
                                                suite::run_task(run, "/bin/false", folder_ / "out"));
    EXPECT_EQ(shell(before + " parity job " + attempt.folder().string()).status, 0);
    EXPECT_FALSE(attempt.started().is_null());
    EXPECT_TRUE(std::filesystem::exists(attempt.run_folder() / "run.json"));
    return attempt.result();
  }
};

TEST_F(JobTest, FolderWithoutATask_IsRefused) {
  const Outcome outcome = parity("job nowhere");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("its job.json is missing, damaged or of another version"));
}

TEST_F(JobTest, FailedRun_IsAResult) {
  const Json result = result_of("echo the reason >&2; exit 7");
  EXPECT_EQ(result.at("failure").at("kind"), "crashed");
  EXPECT_EQ(result.at("failure").at("message"), "topic/c:arm ended with exit status 7: the reason");
}

TEST_F(JobTest, OtherCpuThanPlanned_IsRefused) {
  const Json result = result_of("exit 0", {{"vendor", "Another"}});
  EXPECT_EQ(result.at("failure").at("kind"), "missing");
  EXPECT_THAT(result.at("failure").at("message").get<std::string>(), HasSubstr("choose nodes of one kind"));
  EXPECT_TRUE(result.contains("machine"));
}

TEST_F(JobTest, RanksSeeNoVariablesOfTheScheduler) {
  const Json result = result_of("[ -z \"$SLURM_NTASKS\" ] && [ \"$SLURM_CONF\" = /conf ] && exit 9",
                                suite::this_machine().cpu, "env SLURM_NTASKS=3 SLURM_CONF=/conf");
  EXPECT_EQ(result.at("failure").at("message"), "topic/c:arm ended with exit status 9");
}

}  // namespace
}  // namespace parity::cli
