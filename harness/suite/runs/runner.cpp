// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/runner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/runs/python_environment.hpp"

namespace parity::suite {

Runner::Runner(const Options& options, const RunStore& store)
    : own_place_(std::make_unique<LocalPlace>(options.trainer, options.slots)),
      place_(*own_place_),
      use_cache_(options.use_cache),
      store_(store),
      started_(std::chrono::steady_clock::now()) {}

Runner::Runner(RunPlace& place, bool use_cache, const RunStore& store)
    : place_(place), use_cache_(use_cache), store_(store), started_(std::chrono::steady_clock::now()) {}

/// Fails a run whose Python cannot run its command. \return whether it failed
bool Runner::fail_without_environment(const PlannedRun& run) {
  const std::string missing = missing_environment(run.python);
  if (missing.empty())
    return false;
  RunResult result;
  result.folder = store_.folder(run.id);
  result.failure = RunFailure{results::FailureKind::no_environment, missing};
  results_[run.id] = result;
  ended_.push_back(run.id);
  return true;
}

void Runner::add(const PlannedRun& run) {
  if (fail_without_environment(run))
    return;
  if (use_cache_) {
    if (const auto found = store_.find(run)) {
      results_[run.id] = *found;
      ended_.push_back(run.id);
      return;
    }
  }
  cost_total_ += run.cost();
  waiting_.push_back(run);
}

bool Runner::ready(const PlannedRun& run) const {
  return std::all_of(run.trace_of.begin(), run.trace_of.end(),
                     [&](const auto& entry) { return results_.contains(entry.second); });
}

/// Drops a run that cannot start because a run that it reads failed. \return whether it was dropped
bool Runner::drop_if_hopeless(const PlannedRun& run) {
  for (const auto& [arm, id] : run.trace_of) {
    const auto found = results_.find(id);
    if (found == results_.end() || found->second.complete())
      continue;
    RunResult result;
    result.folder = store_.folder(run.id);
    result.failure = RunFailure{results::FailureKind::not_started,
                                run.label + " needs the trace of arm " + arm + ", which did not finish"};
    results_[run.id] = result;
    ended_.push_back(run.id);
    return true;
  }
  return false;
}

void Runner::start_waiting() {
  int used = 0;
  for (const auto& running : running_)
    used += place_.size_of(running->run());
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (drop_if_hopeless(*next)) {
      next = waiting_.erase(next);
      continue;
    }
    // A run that needs more than there is runs alone.
    const int size = place_.size_of(*next);
    const bool fits = used + size <= place_.capacity() || used == 0;
    if (!fits || !ready(*next)) {
      ++next;
      continue;
    }
    used += size;
    running_.push_back(place_.start(*next, store_));
    next = waiting_.erase(next);
  }
}

std::vector<std::string> Runner::poll() {
  place_.poll();
  for (auto running = running_.begin(); running != running_.end();) {
    StartedRun& started = **running;
    if (!started.poll()) {
      ++running;
      continue;
    }
    cost_done_ += started.run().cost();
    results_[started.run().id] = started.result();
    ended_.push_back(started.run().id);
    running = running_.erase(running);
  }
  start_waiting();
  return std::exchange(ended_, {});
}

void Runner::interrupt() {
  for (const PlannedRun& run : waiting_) {
    RunResult result;
    result.folder = store_.folder(run.id);
    result.failure =
        RunFailure{results::FailureKind::interrupted, run.label + " was not started before the interruption"};
    results_[run.id] = result;
    ended_.push_back(run.id);
  }
  waiting_.clear();
  for (const auto& running : running_)
    running->interrupt();
  place_.end_interrupted();
}

Advance Runner::advance() const {
  double done = cost_done_;
  for (const auto& running : running_)
    done += running->run().cost() * static_cast<double>(running->steps_done()) /
            static_cast<double>(std::max<int64_t>(running->run().last_step(), 1));
  return {done, cost_total_, seconds_since(started_)};
}

std::string Runner::status_line() const {
  const size_t total = results_.size() + waiting_.size() + running_.size();
  std::string line = fmt::format("{}/{} runs", results_.size(), total);
  const auto queued = std::ranges::count_if(running_, [](const auto& run) { return run->is_queued(); });
  if (queued > 0)
    line += fmt::format("  {} queued", queued);
  for (const auto& running : running_)
    if (!running->is_queued())
      line +=
          fmt::format("  {} {}/{}", running->run().label, running->steps_done(), running->run().last_step());
  const std::string left = time_left(advance());
  return left.empty() ? line : line + "  " + left;
}

}  // namespace parity::suite
