// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ATen/Parallel.h>

#include "harness/base/files/file.hpp"
#include "reference/comm/group.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {

/// Tests that need several ranks: real processes with a real process group.
class RanksTest : public FolderTest {
 protected:
  using Body = std::function<void(Group&)>;

  /// Returns the device that a rank computes on; called in the rank's own process.
  virtual Device device(int64_t /*rank*/) const { return {}; }

  /// Runs the body in the given number of processes, each with its world; a rank fails by an exception. The
  /// test itself must not run LibTorch before, since threads do not survive a fork.
  /// \return the complaint of each rank; "" for a rank that ended well
  std::vector<std::string> run_ranks(int64_t world_size, const Body& body,
                                     std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    std::vector<pid_t> children;
    ++runs_;
    for (int64_t rank = 0; rank < world_size; ++rank) {
      const pid_t child = ::fork();
      if (child == 0)
        be_rank({.rank = rank,
                 .world_size = world_size,
                 .local_rank = rank,
                 .file = folder / ("store" + std::to_string(runs_)),
                 .master_address = "",
                 .master_port = 0,
                 .store_is_served = false,
                 .attempt = 0,
                 .launcher = "test"},
                body, timeout);
      children.push_back(child);
    }
    std::vector<std::string> complaints;
    for (int64_t rank = 0; rank < world_size; ++rank) {
      int status = 0;
      ::waitpid(children[static_cast<size_t>(rank)], &status, 0);
      const std::filesystem::path file = describe(rank);
      complaints.push_back(std::filesystem::exists(file)                   ? read_file(file)
                           : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ""
                                                                           : "died");
    }
    return complaints;
  }

  /// One rank ends after its first collective; the second collective of the other reports it.
  void expect_an_end_is_noticed() {
    const std::vector<std::string> complaints = run_ranks(2, [this](Group& world) {
      const torch::Tensor one = torch::ones({1}).to(device(world.rank()).place);
      world.all_reduce(one);
      if (world.rank() == 1)
        throw std::runtime_error("planted");
      world.all_reduce(one);
    });
    EXPECT_EQ(complaints.at(1), "planted");
    EXPECT_THAT(complaints.at(0),
                testing::HasSubstr("collective 2, all_reduce over world as rank 0 of 2, did not end: "));
  }

  /// For objects that keep their world; this one outlives them.
  static std::shared_ptr<Group> held(Group& world) {
    return {&world, [](Group*) {}};
  }

 private:
  std::filesystem::path describe(int64_t rank) const {
    return folder / ("rank" + std::to_string(rank) + "." + std::to_string(runs_));
  }

  [[noreturn]] void be_rank(const Job& job, const Body& body, std::chrono::milliseconds timeout) const {
    ::alarm(90);  // a rank that hangs does not outlive its test
    int status = 0;
    try {
      at::set_num_threads(1);
      const auto world = Group::world(job, timeout, device(job.rank));
      body(*world);
    } catch (const std::exception& error) {
      write_file(describe(job.rank), error.what());
      status = 1;
    }
    ::_exit(status);
  }

  int runs_ = 0;
};

}  // namespace parity::reference
