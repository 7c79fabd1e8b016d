// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/start_rank.hpp"

#include <cstdlib>
#include <list>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/processes/fork_server.hpp"
#include "harness/suite/cases/rank_variables.hpp"
#include "harness/suite/plan/identity/own_programs.hpp"

namespace parity::suite {
namespace {

using Environment = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

constexpr size_t most_servers = 4;  // 0.1 GB each, 0.3 GB with Python
constexpr std::string_view own_trainer = "parity-train";

/// Variables that differ between the ranks of a run. LibTorch and MKL read none of them while they load.
bool is_of_rank(const std::string& name) {
  return name.starts_with("PARITY_") || is_rank_variable(name);
}

/// The servers of this process, the last used first.
class Servers {
 public:
  /// Returns nothing if no such server can start a process. \param words  that start the server
  std::optional<Process> spawn(const Words& words, ProcessSpec spec) {
    if (broken_.contains(words))
      return std::nullopt;
    Environment common;
    for (auto each = spec.environment.begin(); each != spec.environment.end();)
      if (is_of_rank(each->first))
        ++each;
      else
        common.insert(spec.environment.extract(each++));
    try {
      return server_for(words, common).spawn(spec);
    } catch (const UserError& error) {
      servers_.remove_if([&](const Entry& entry) { return entry.words == words; });
      if (error.code() == ExitCode::missing)
        throw;
      broken_.insert(words);
      return std::nullopt;
    }
  }

 private:
  struct Entry {
    Words words;
    Environment environment;
    ForkServer server;
    Entry(const Words& of_server, Environment common)
        : words(of_server), environment(std::move(common)), server(words, environment) {}
  };

  ForkServer& server_for(const Words& words, const Environment& common) {
    const auto found = std::ranges::find_if(
        servers_, [&](const Entry& entry) { return entry.words == words && entry.environment == common; });
    if (found != servers_.end())
      servers_.splice(servers_.begin(), servers_, found);
    else
      servers_.emplace_front(words, common);
    if (servers_.size() > most_servers)
      servers_.pop_back();
    return servers_.front().server;
  }

  std::list<Entry> servers_;
  std::set<Words> broken_;
};

bool is_switched_off() {
  const char* wanted = std::getenv("PARITY_FORK_SERVER");
  return wanted != nullptr && std::string_view(wanted) == "0";
}

/// Returns what starts a server for a run's processes; empty if each is a new one.
Words server_words(const ProcessSpec& spec, const PlannedRun& run) {
  if (is_switched_off() || run.repetition != 0 || run.under != compare::Condition::none)
    return {};
  if (spec.argv.size() == 4 && spec.argv[1] == "-m" && spec.argv[2] == "parity.operators")
    return {spec.argv.begin(), spec.argv.begin() + 3};
  const bool is_own = !run.is_command() && run.program.empty() && !spec.environment.contains("LD_PRELOAD") &&
                      own_program(std::string(own_trainer)) == spec.argv.front();
  return is_own ? Words{spec.argv.front()} : Words();
}

}  // namespace

Process start_rank(const ProcessSpec& spec, const PlannedRun& run) {
  static Servers servers;
  const Words words = server_words(spec, run);
  if (!words.empty())
    if (auto process = servers.spawn(words, spec))
      return std::move(*process);
  return Process::spawn(spec);
}

}  // namespace parity::suite
