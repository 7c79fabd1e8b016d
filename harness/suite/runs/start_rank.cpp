// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/start_rank.hpp"

#include <array>
#include <cstdlib>
#include <list>
#include <string_view>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/processes/fork_server.hpp"
#include "harness/suite/plan/identity/own_programs.hpp"

namespace parity::suite {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr size_t most_servers = 4;  // 0.1 GB each
constexpr std::string_view own_trainer = "parity-train";

/// Variables that differ between the ranks of a run. LibTorch and MKL read none of them while they load.
bool is_of_rank(const std::string& name) {
  constexpr std::array<std::string_view, 5> of_ranks = {"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR",
                                                        "MASTER_PORT"};
  return name.starts_with("PARITY_") || std::ranges::find(of_ranks, name) != of_ranks.end();
}

/// The servers of this process, the last used first.
class Servers {
 public:
  /// Returns nothing if no server can start a process now.
  std::optional<Process> spawn(ProcessSpec spec) {
    Environment common;
    for (auto each = spec.environment.begin(); each != spec.environment.end();)
      if (is_of_rank(each->first))
        ++each;
      else
        common.insert(spec.environment.extract(each++));
    try {
      return server_for(spec.argv.front(), common).spawn(spec);
    } catch (const UserError& error) {
      servers_.clear();
      if (error.code() == ExitCode::missing)
        throw;
      are_broken_ = true;
      return std::nullopt;
    }
  }
  bool are_broken() const { return are_broken_; }

 private:
  struct Entry {
    Environment environment;
    ForkServer server;
    Entry(const std::string& program, Environment common)
        : environment(std::move(common)), server(program, environment) {}
  };

  ForkServer& server_for(const std::string& program, const Environment& common) {
    const auto found = std::ranges::find(servers_, common, &Entry::environment);
    if (found != servers_.end())
      servers_.splice(servers_.begin(), servers_, found);
    else
      servers_.emplace_front(program, common);
    if (servers_.size() > most_servers)
      servers_.pop_back();
    return servers_.front().server;
  }

  std::list<Entry> servers_;
  bool are_broken_ = false;
};

bool may_fork(const ProcessSpec& spec, const PlannedRun& run) {
  const char* wanted = std::getenv("PARITY_FORK_SERVER");
  return (wanted == nullptr || std::string_view(wanted) != "0") && !run.is_command() && run.program.empty() &&
         run.repetition == 0 && run.under == compare::Condition::none &&
         !spec.environment.contains("LD_PRELOAD") &&
         own_program(std::string(own_trainer)) == spec.argv.front();
}

}  // namespace

Process start_rank(const ProcessSpec& spec, const PlannedRun& run) {
  static Servers servers;
  if (may_fork(spec, run) && !servers.are_broken())
    if (auto process = servers.spawn(spec))
      return std::move(*process);
  return Process::spawn(spec);
}

}  // namespace parity::suite
