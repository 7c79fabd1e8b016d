// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/commands.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/processes/offspring.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/command_words.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Parts of messages of sbatch(1) after which the same job may be accepted later.
constexpr auto passing = std::to_array<std::string_view>(
    {"queue full", "temporarily unable", "job submit limit", "MaxSubmit", "Unable to contact",
     "Socket timed out", "Connection refused", "Zero Bytes", "standby", "try again", "Transport endpoint",
     "Communication connection failure"});

void add_option(std::vector<std::string>& words, const char* option, const std::string& value) {
  if (!value.empty())
    words.push_back(fmt::format("--{}={}", option, value));
}

}  // namespace

std::vector<std::string> sbatch_words(const Site& site, const JobNeeds& needs, const std::string& name,
                                      const fs::path& script) {
  std::vector<std::string> words = {
      "sbatch", "--parsable", "--no-requeue", "--job-name=" + name, "--output=/dev/null", "--chdir=/",
      // A job outlives this process, so it must not carry its mark.
      fmt::format("--export=ALL,{}=", offspring_variable), fmt::format("--nodes={}", needs.nodes),
      fmt::format("--ntasks={}", needs.nodes * needs.tasks_per_node),
      fmt::format("--cpus-per-task={}", needs.cpus)};
  if (needs.nodes > 1)
    words.push_back(fmt::format("--ntasks-per-node={}", needs.tasks_per_node));
  add_option(words, "partition", site.partition);
  add_option(words, "account", site.account);
  add_option(words, "qos", site.qos);
  if (const int64_t minutes = needs.minutes > 0 ? needs.minutes : site.time_minutes; minutes > 0)
    add_option(words, "time", std::to_string(minutes));
  if (needs.gpus > 0)
    for (std::string word : site.gpu_options) {
      replace_all(word, "{gpus}", std::to_string(needs.gpus));
      words.push_back(word);
    }
  words.insert(words.end(), site.options.begin(), site.options.end());
  words.push_back(script.string());
  return words;
}

std::string job_script(const Site& site, const fs::path& folder, const fs::path& program,
                       const std::string& label) {
  std::string setup;
  for (const std::string& line : site.setup)
    setup += line + "\n";
  const std::string there = shell_quote({folder.string()});
  const std::string parity = shell_quote({program.string()});
  return fmt::format(
      "#!/bin/sh\n"
      "# parity run: {}\n"
      "cd {} 2>/dev/null && [ -f job.json ] || exit {}\n"
      "exec >>job.log 2>&1\n"
      "{}"
      "[ -x {} ] || exit {}\n"
      "exec {} job {}\n",
      escape_to_line(label), there, no_folder_status, setup, parity, no_program_status, parity, there);
}

std::vector<std::string> squeue_words() {
  return {"squeue", "--noheader", "--states=all", fmt::format("--user={}", ::getuid()),
          "--format=%A|%T|%N|%r|%j"};
}

bool may_accept_later(std::string_view message) {
  return std::ranges::any_of(
      passing, [&](std::string_view part) { return message.find(part) != std::string_view::npos; });
}

std::string problem_of(std::string_view message) {
  std::string line;
  std::istringstream lines{std::string(message)};
  std::getline(lines, line);
  if (const size_t error = line.find("error: "); error != std::string::npos)
    line = line.substr(error + 7);
  return line.empty() ? "no message" : escape_to_line(line);
}

}  // namespace parity::suite
