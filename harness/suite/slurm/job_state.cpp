// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/job_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

namespace parity::suite {
namespace {

/// Every other state of squeue(1) means that the job runs or ends.
constexpr auto job_states = std::to_array<std::pair<std::string_view, JobState>>({
    {"PENDING", JobState::queued},
    {"CONFIGURING", JobState::queued},
    {"REQUEUED", JobState::queued},
    {"REQUEUE_FED", JobState::queued},
    {"REQUEUE_HOLD", JobState::queued},
    {"RESV_DEL_HOLD", JobState::queued},
    {"SPECIAL_EXIT", JobState::queued},
    {"COMPLETED", JobState::completed},
    {"FAILED", JobState::failed},
    {"LAUNCH_FAILED", JobState::failed},
    {"CANCELLED", JobState::cancelled},
    {"REVOKED", JobState::cancelled},
    {"TIMEOUT", JobState::expired},
    {"DEADLINE", JobState::expired},
    {"OUT_OF_MEMORY", JobState::out_of_memory},
    {"NODE_FAIL", JobState::node_failed},
    {"BOOT_FAIL", JobState::node_failed},
    {"PREEMPTED", JobState::preempted},
});

constexpr auto hopeless_reasons = std::to_array<std::string_view>(
    {"BadConstraints", "PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit", "InvalidAccount",
     "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed", "PartitionInactive", "JobHeldAdmin",
     "DependencyNeverSatisfied"});

std::vector<std::string> split_at(std::string_view line, char separator) {
  std::vector<std::string> parts;
  std::string part;
  for (std::istringstream in{std::string(line)}; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

/// Returns the exit status in "66:0", or 128 + the signal in "0:9".
int status_in(const std::string& text) {
  const size_t colon = text.find(':');
  const auto number = [&](std::string_view digits) {
    int value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const int status = number(std::string_view(text).substr(0, colon));
  const int signal = colon == std::string::npos ? 0 : number(std::string_view(text).substr(colon + 1));
  return status != 0 || signal == 0 ? status : 128 + signal;
}

std::string assigned_nodes(const std::string& text) {
  return text == "(null)" || text == "None assigned" ? "" : text;
}

}  // namespace

JobState parse_job_state(std::string_view word) {
  const std::string_view first = word.substr(0, word.find_first_of(" +"));
  const auto* const found =
      std::ranges::find(job_states, first, &std::pair<std::string_view, JobState>::first);
  return found == job_states.end() ? JobState::running : found->second;
}

JobList parse_squeue(std::string_view text) {
  JobList jobs;
  for (const std::string& line : split_at(text, '\n')) {
    const std::vector<std::string> parts = split_at(line, '|');
    if (parts.size() < 5 || parts[0].empty())
      continue;
    jobs.by_id[parts[0]] = {parse_job_state(parts[1]), parts[1], assigned_nodes(parts[2]), parts[3], 0};
    jobs.id_of_name[parts[4]] = parts[0];
  }
  return jobs;
}

JobEntry parse_scontrol(std::string_view text) {
  JobEntry entry;
  for (const std::string& word : split_at(text.substr(0, text.find('\n')), ' ')) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      continue;
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "JobState") {
      entry.word = value;
      entry.state = parse_job_state(value);
    } else if (key == "NodeList")
      entry.nodes = assigned_nodes(value);
    else if (key == "Reason")
      entry.reason = value;
    else if (key == "ExitCode")
      entry.exit_status = status_in(value);
  }
  return entry;
}

JobEntry parse_sacct(std::string_view text) {
  const std::vector<std::string> parts = split_at(text.substr(0, text.find('\n')), '|');
  if (parts.size() < 3)
    return {};
  return {parse_job_state(parts[0]), parts[0], assigned_nodes(parts[2]), "", status_in(parts[1])};
}

bool is_hopeless(std::string_view reason) {
  return std::ranges::find(hopeless_reasons, reason) != hopeless_reasons.end();
}

}  // namespace parity::suite
