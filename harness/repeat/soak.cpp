// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/repeat/soak.hpp"

#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/compare/traces/not_a_number.hpp"
#include "harness/repeat/target.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/plan/context.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/runner.hpp"

namespace parity::repeat {
namespace fs = std::filesystem;
namespace {

using compare::Condition;

/// Returns whether a run records the checksums of its collectives. A command is asked only if the user says
/// so: it watches every operator for that.
bool records_collectives(const suite::Arm& arm, const SoakOptions& options, int64_t ranks) {
  return arm.is_command() ? options.collectives : ranks > 1;
}

/// Returns the case whose arm records what a soak compares, and writes checkpoints to resume from.
suite::Case prepared(suite::Case source, const SoakOptions& options) {
  const suite::PlannedArm planned = plan_arms(source, options.run).arms.front();
  suite::Arm& arm = source.arms.front();
  const int64_t steps = suite::updates_of_run(planned.config, {}).last;
  arm.capture.merge(soak_capture(steps, options.every, records_collectives(arm, options, planned.ranks)));
  const bool restarts = suite::integer_of(planned.config, "checkpoint.restart_after", 0) > 0;
  if (!arm.is_command() && !restarts && options.every > 1 && options.every < steps)
    arm.span = {steps, options.every, "", 0, ""};
  return source;
}

class Soak {
 public:
  Soak(const suite::Case& source, const SoakOptions& options, Progress& progress,
       const FindingListener& found)
      : options_(options),
        progress_(progress),
        found_(found),
        hashes_(options.run.out / "content_hashes.json"),
        store_(options.run.out),
        plan_(plan_context(options.run.trainer, hashes_)) {
    plan_.add(source);
    record_.target =
        source.name == source.arms.front().name ? source.name : source.name + ":" + source.arms.front().name;
    record_.identity = suite::content_hash(plan_.runs().at(arm().run).identity);
    record_.reference = arm().run;
  }

  SoakRecord run() {
    const bool continues = resume();
    if (!run_first(continues))
      return record_;
    record_.save(options_.run.out);
    while (wants_more() && !interrupted())
      repeat_once();
    progress_.clear();
    return record_;
  }

 private:
  suite::PlannedCase& planned() { return plan_.cases().front(); }
  suite::PlannedArm& arm() { return planned().arms.front(); }

  /// Takes over the record of an earlier session. \return whether there was one
  bool resume() {
    if (options_.fresh)
      return false;
    auto before = SoakRecord::load(options_.run.out);
    if (!before)
      return false;
    if (before->identity != record_.identity)
      throw UserError(
          fmt::format("cannot continue the soak in {} (it repeats {}, of another config, program or "
                      "machine); choose another "
                      "folder with --out, or begin anew with --fresh",
                      options_.run.out.string(), before->target));
    record_ = std::move(*before);
    return true;
  }

  /// Runs the first run, which the others are compared with; a continued soak has it already.
  /// \return false after Ctrl-C
  bool run_first(bool continues) {
    suite::PlannedRun first = plan_.runs().at(arm().run);
    first.cacheable = true;  // a command too: were it another program by now, its bits would differ
    if (const auto before = continues ? store_.find(first) : std::nullopt) {
      results_[first.id] = *before;
      return true;
    }
    if (continues && record_.count() > 0)
      throw UserError(
          fmt::format("cannot continue the soak in {} (its first run is gone); begin anew with --fresh",
                      options_.run.out.string()));
    if (!execute(first, "first run"))
      return false;
    const auto& failure = results_.at(first.id).failure;
    if (failure)
      throw UserError(fmt::format("cannot repeat {} (its first run did not finish: {})", record_.target,
                                  failure->message),
                      meaning_of(failure->kind).exit_code);
    const suite::Evidence evidence(planned(), results_, store_);
    if (const std::string place = compare::describe_not_a_number(*evidence.arms().at(arm().name).trace);
        !place.empty())
      throw UserError(
          fmt::format("cannot repeat {} ({} of its first run, and NaN equals nothing); remove the NaN first",
                      record_.target, place),
          ExitCode::crashed);
    return true;
  }

  bool wants_more() const {
    if (options_.seconds && seconds_so_far() >= *options_.seconds)
      return false;
    return options_.times == 0 || record_.count() + 1 < options_.times;
  }

  double seconds_so_far() const { return record_.seconds + seconds_since(last_saved_); }

  /// Runs one run to its end. \return false after Ctrl-C
  bool execute(const suite::PlannedRun& run, const std::string& what) {
    suite::Runner runner({fs::absolute(options_.run.trainer), options_.run.jobs, false}, store_);
    runner.add(run);
    while (runner.busy()) {
      if (interrupted())
        runner.interrupt();
      for (const std::string& id : runner.poll())
        results_[id] = runner.results().at(id);
      progress_.show(fmt::format("{}  {}", describe_progress(), what));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (const auto& [id, result] : runner.results())
      results_[id] = result;
    const auto& failure = results_.at(run.id).failure;
    return !failure || failure->kind != results::FailureKind::interrupted;
  }

  /// Returns "12/100 repetitions, 1 differs  3m 07s left".
  std::string describe_progress() const {
    std::string line = fmt::format("{}{} repetitions", record_.count(),
                                   options_.times > 0 ? fmt::format("/{}", options_.times - 1) : "");
    line += record_.findings.empty() ? ", all clean" : fmt::format(", {} not", record_.findings.size());
    const double spent = seconds_so_far();
    std::string left;
    if (options_.times > 0)
      left =
          time_left({static_cast<double>(record_.count()), static_cast<double>(options_.times - 1), spent});
    if (options_.seconds && left.empty())
      left = format_duration(std::max(*options_.seconds - spent, 0.0)) + " left";
    return left.empty() ? line : line + "  " + left;
  }

  Condition condition_of(int64_t number) const {
    return options_.under.empty()
               ? Condition::none
               : options_.under.at(static_cast<size_t>(number - 1) % options_.under.size());
  }

  /// Runs the next repetition, compares it and saves the record.
  void repeat_once() {
    const int64_t number = record_.count() + 1;
    suite::PlannedRepetition which{"", condition_of(number), number};
    const std::vector<trace::Fault> planted = number == 1 ? options_.planted : std::vector<trace::Fault>();
    which.id = plan_.plan_repetition(planned(), arm().name, which, planted);
    arm().repetitions = {which};
    arm().watched.clear();
    const std::string what =
        which.under == Condition::none ? "" : fmt::format("under {}", name_of(which.under));
    if (!execute(plan_.runs().at(which.id), what))
      return;
    std::vector<suite::JudgedCheck> judged = {judge_last(which)};
    record_.compared = judged.front().result.coverage.text();
    if (judged.front().result.passed) {
      ++record_.clean[which.under];
      drop(which.id);
    } else if (!add_finding(judged, which, planted)) {
      return;
    }
    record_.seconds = seconds_so_far();
    last_saved_ = std::chrono::steady_clock::now();
    record_.save(options_.run.out);
  }

  suite::JudgedCheck judge_last(const suite::PlannedRepetition& which) {
    compare::Check claim;
    claim.relation = compare::Relation::repeats;
    claim.arms = {arm().name};
    claim.times = 2;
    claim.under = which.under;
    const suite::Evidence evidence(planned(), results_, store_);
    suite::JudgedCheck judged{results::CheckKind::pair, claim.quantity(), claim, {}};
    judged.result = compare::judge(claim, evidence.arms());
    return judged;
  }

  /// Narrows and classifies what differs by further runs. \return false after Ctrl-C
  bool add_finding(std::vector<suite::JudgedCheck>& judged, const suite::PlannedRepetition& which,
                   const std::vector<trace::Fault>& planted) {
    if (options_.compare_update)
      while (const auto wanted = run_to_watch(planned(), judged, results_, store_)) {
        plan_.add_watched(planned(), *wanted);
        if (!execute(plan_.runs().at(arm().watched.back().id), "looking for the cause"))
          return false;
      }
    describe_repeats(judged, planned(), results_, store_, options_.compare_update);
    const compare::CheckResult& result = judged.front().result;
    SoakFinding finding;
    finding.repetition = which.number;
    finding.under = which.under;
    const auto& failure = results_.at(which.id).failure;
    const bool lacking = failure && failure->kind == results::FailureKind::missing;
    finding.verdict = name_of(lacking ? compare::Verdict::missing : result.verdict);
    finding.sentence = result.sentence;
    finding.recurrence = result.measured.value("recurrence", "");
    finding.looks_like = result.looks_like;
    if (result.worst) {
      finding.step = result.worst->step;
      finding.quantity = result.worst->quantity;
      finding.rank = result.worst->rank;
    }
    for (const trace::Fault& fault : planted)
      finding.planted += (finding.planted.empty() ? "" : "; ") + fault.text();
    finding.run = store_.folder(which.id).string();
    finding.time = utc_now();
    for (const suite::WatchedRun& each : arm().watched)
      drop(each.id);
    record_.findings.push_back(finding);
    progress_.clear();
    found_(finding);
    return true;
  }

  /// Deletes a run that is no longer needed.
  void drop(const std::string& id) {
    std::error_code ignored;
    fs::remove_all(store_.folder(id), ignored);
    results_.erase(id);
  }

  const SoakOptions& options_;
  Progress& progress_;
  const FindingListener& found_;
  suite::ContentHashes hashes_;
  suite::RunStore store_;
  suite::Plan plan_;
  std::map<std::string, suite::RunResult> results_;
  SoakRecord record_;
  std::chrono::steady_clock::time_point last_saved_ = std::chrono::steady_clock::now();
};

}  // namespace

SoakRecord soak(suite::Case source, const SoakOptions& options, Progress& progress,
                const FindingListener& found) {
  const FolderLock lock(options.run.out, shell_quote(options.run.command));
  const InterruptGuard guard;
  remove_temporaries(options.run.out);
  return Soak(prepared(std::move(source), options), options, progress, found).run();
}

}  // namespace parity::repeat
