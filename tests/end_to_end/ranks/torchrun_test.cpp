// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// parity-train as torchrun starts it: the ranks join the job that they find in their environment.
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/processes/process.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/suite/runs/running_run.hpp"
#include "harness/trace/read/content_digest.hpp"
#include "tests/end_to_end/ranks/small_run.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class TorchrunTest : public FolderTest {
 protected:
  const std::string torchrun = fs::path(places::python).replace_filename("torchrun");
  const std::string trainer = places::build + "/bin/parity-train";

  void SetUp() override {
    FolderTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
    write_file(folder / "run.json", json_text(suite::nest(two_ranks().config)));
  }

  static suite::PlannedRun two_ranks() { return small_run(2, 1, 5); }

  /// Runs torchrun with the determinism profile of the launcher. \param before  words before it
  Process start(Words before, const Words& options, const std::string& program,
                const std::string& log) const {
    ProcessSpec spec;
    spec.argv = std::move(before);
    spec.argv.push_back(torchrun);
    spec.argv.insert(spec.argv.end(), options.begin(), options.end());
    for (const std::string& word : {std::string("--no-python"), program, (folder / "run.json").string(),
                                    std::string("--trace"), trace_path().string(), std::string("--quiet")})
      spec.argv.push_back(word);
    spec.environment = profile_environment(suite::Profile::portable, 1);
    spec.environment["PARITY_TIMEOUT"] = "60";
    spec.stdout_file = spec.stderr_file = folder / log;
    return Process::spawn(spec);
  }
  void expect_success(Process& process, const std::string& log) const {
    const auto status = process.wait_for(std::chrono::minutes(2));
    ASSERT_TRUE(status) << "it hangs: " << tail_of(folder / log, 30);
    EXPECT_TRUE(status->succeeded()) << status->text() << ": " << tail_of(folder / log, 30);
  }

  /// The same run, started by the launcher of the suite.
  std::string digest_of_our_launch() const {
    const suite::RunStore store(folder / "out");
    suite::RunningRun running(two_ranks(), store, trainer);
    while (!running.poll())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(running.result().complete()) << running.result().stderr_tail;
    return content_digest(trace::Trace::open(running.result().folder));
  }
  void expect_the_launchers_trace() const {
    const trace::Trace trace = trace::Trace::open(trace_path());
    EXPECT_TRUE(trace.complete());
    EXPECT_EQ(trace.ranks(), 2);
    EXPECT_EQ(trace.last_step(), 5);
    EXPECT_EQ(content_digest(trace), digest_of_our_launch());
  }
};

TEST_F(TorchrunTest, ItsRanksLeaveTheTraceThatOurLauncherLeaves) {
  Process process = start({}, {"--standalone", "--nproc-per-node", "2"}, trainer, "log");
  expect_success(process, "log");
  expect_the_launchers_trace();
}

TEST_F(TorchrunTest, AJobOfAnotherSizeThanTheMeshIsRefused) {
  Process process = start({}, {"--standalone", "--nproc-per-node", "3"}, trainer, "log");
  const auto status = process.wait_for(std::chrono::minutes(2));
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->succeeded());
  EXPECT_THAT(read_file(folder / "log"),
              HasSubstr("a mesh of dp_replicate 2 has 2 ranks, and there are 3 (each rank has one place); "
                        "start as many as the mesh has"));
}

/// A rank whose launcher names a machine where nothing listens.
TEST_F(TorchrunTest, UnreachableStore_EndsRankInTimeNamingStore) {
  ProcessSpec spec;
  spec.argv = {trainer, (folder / "run.json").string(), "--trace", trace_path().string()};
  spec.environment = {{"RANK", "1"},        {"WORLD_SIZE", "2"},
                      {"LOCAL_RANK", "1"},  {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", "1"}, {"PARITY_TIMEOUT", "2"}};
  spec.stdout_file = spec.stderr_file = folder / "log";
  Process process = Process::spawn(spec);
  const auto status = process.wait_for(std::chrono::seconds(30));
  ASSERT_TRUE(status) << "it hangs";
  EXPECT_EQ(status->exit_status(), static_cast<int>(ExitCode::bad_input));
  EXPECT_THAT(read_file(folder / "log"), HasSubstr("rank 1 cannot reach the store at 127.0.0.1:1"));
  EXPECT_FALSE(fs::exists(trace_path()));
}

/// The agent's store continues, with the entries that the dead ranks left.
TEST_F(TorchrunTest, RanksThatItStartsAnewMeetAgain) {
  const fs::path file = folder / "trainer.sh";
  write_file(file,
             fmt::format("#!/bin/sh\nif [ $TORCHELASTIC_RESTART_COUNT.$RANK = 0.1 ]; then\n"
                         "  '{0}' \"$@\" --stop-after 2 --checkpoint-dir /nowhere/at/all\n  exit 9\nfi\n"
                         "exec '{0}' \"$@\"\n",
                         trainer));
  ::chmod(file.c_str(), 0755);
  Process process =
      start({}, {"--standalone", "--nproc-per-node", "2", "--max-restarts", "1"}, file.string(), "log");
  expect_success(process, "log");
  EXPECT_THAT(read_file(folder / "log"),
              HasSubstr("rank 1 has another config than rank 0 (--stop-after is 2"))
      << "the first attempt met too";
  expect_the_launchers_trace();
}

/// Two network namespaces with a cable between them.
class TwoHosts {
 public:
  TwoHosts() {
    for (const int host : {0, 1})
      made_ = made_ && run_shell("ip netns add " + name(host)).status == 0;
    made_ = made_ && run_shell(fmt::format("ip link add {} netns {} type veth peer name {} netns {}",
                                           device(0), name(0), device(1), name(1)))
                             .status == 0;
    for (const int host : {0, 1})
      made_ =
          made_ && run_shell(fmt::format("ip -n {0} addr add {1}/24 dev {2} && ip -n {0} link set {2} up && "
                                         "ip -n {0} link set lo up",
                                         name(host), address(host), device(host)))
                           .status == 0;
  }
  ~TwoHosts() {
    for (const int host : {0, 1})
      run_shell("ip netns del " + name(host));
  }
  TwoHosts(const TwoHosts&) = delete;
  TwoHosts& operator=(const TwoHosts&) = delete;

  bool made() const { return made_; }
  static std::string address(int host) { return fmt::format("10.231.77.{}", host + 1); }
  static Words prefix(int host) {
    return {"ip", "netns", "exec", name(host), "env", "GLOO_SOCKET_IFNAME=" + device(host)};
  }

 private:
  static std::string name(int host) { return fmt::format("parity{}.{}", ::getpid(), host); }
  static std::string device(int host) { return fmt::format("v{}n{}", ::getpid() % 100000, host); }
  bool made_ = true;
};

TEST_F(TorchrunTest, RanksOfTwoHostsMeetOverTheNetwork) {
  const TwoHosts hosts;
  if (!hosts.made())
    GTEST_SKIP()
        << "needs the right to make network namespaces (ip netns add), as root has outside a sandbox";
  std::vector<Process> nodes;
  for (const int host : {0, 1})
    nodes.push_back(start(TwoHosts::prefix(host),
                          {"--nnodes", "2", "--node-rank", std::to_string(host), "--nproc-per-node", "1",
                           "--master-addr", TwoHosts::address(0), "--master-port", "29511"},
                          trainer, fmt::format("log{}", host)));
  for (const int host : {0, 1})
    expect_success(nodes[static_cast<size_t>(host)], fmt::format("log{}", host));
  expect_the_launchers_trace();
}

}  // namespace
}  // namespace parity
