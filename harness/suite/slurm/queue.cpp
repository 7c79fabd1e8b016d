// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/queue.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/base/elapsed.hpp"
#include "harness/suite/slurm/commands.hpp"

namespace parity::suite {
namespace {

using QueueClock = std::chrono::steady_clock;

QueueClock::duration in_seconds(double seconds) {
  return std::chrono::duration_cast<QueueClock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void JobQueue::poll() {
  const auto now = QueueClock::now();
  if (call_) {
    if (const auto answer = call_->poll()) {
      call_.reset();
      next_ = now + in_seconds(site_.poll_seconds);
      read(*answer);
    }
    return;
  }
  if (now < next_)
    return;
  ++begun_;
  call_.emplace(squeue_words());
}

void JobQueue::read(const ToolAnswer& answer) {
  if (answer.succeeded) {
    if (silence_noted_)
      note("the scheduler answers again");
    silent_since_.reset();
    silence_noted_ = false;
    known_ = begun_;
    jobs_ = parse_squeue(answer.out);
    return;
  }
  silent_since_ = silent_since_.value_or(QueueClock::now());
  if (!silence_noted_ && seconds_since(*silent_since_) > 3 * site_.poll_seconds) {
    silence_noted_ = true;
    note(fmt::format("the scheduler does not answer ({}); its jobs go on, and parity asks again every {:g} s",
                     problem_of(answer.err), site_.poll_seconds));
  }
}

void JobQueue::note_full(const std::string& problem) {
  if (!std::exchange(full_noted_, true))
    note(fmt::format("runs wait for a place in the queue (sbatch: {})", problem));
}

const JobEntry* JobQueue::find(const std::string& id) const {
  const auto found = jobs_.by_id.find(id);
  return found == jobs_.by_id.end() ? nullptr : &found->second;
}

std::string JobQueue::id_of(const std::string& name) const {
  const auto found = jobs_.id_of_name.find(name);
  return found == jobs_.id_of_name.end() ? "" : found->second;
}

void JobQueue::cancel(const std::string& id, const Attempt& attempt) {
  cancelled_.push_back(attempt);
  if (id.empty())
    names_.push_back(attempt.name());
  else
    ids_.push_back(id);
}

void JobQueue::send_cancels() {
  std::vector<std::vector<std::string>> commands;
  if (!ids_.empty())
    commands.emplace_back(ids_).insert(commands.back().begin(), "scancel");
  if (!names_.empty())
    commands.push_back(
        {"scancel", fmt::format("--user={}", ::getuid()), fmt::format("--name={}", fmt::join(names_, ","))});
  bool sent = true;
  for (const auto& words : commands) {
    const ToolAnswer answer = ToolCall(words, std::chrono::seconds(30)).wait();
    sent = sent && answer.succeeded;
    if (!answer.succeeded)
      note(fmt::format("cannot cancel jobs ({}); cancel them with: {}", problem_of(answer.err),
                       shell_quote(words)));
  }
  for (const Attempt& attempt : cancelled_)
    if (sent)
      attempt.mark_cancelled();
  cancelled_.clear();
  ids_.clear();
  names_.clear();
}

}  // namespace parity::suite
