// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/suite.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/files/file.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/suite/explain_reruns.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "harness/suite/goldens/unused_goldens.hpp"
#include "harness/suite/judge/case_floors.hpp"
#include "harness/suite/judge/judge_case.hpp"
#include "harness/suite/judged_before.hpp"
#include "harness/suite/plan/context.hpp"
#include "harness/suite/plan/run_order.hpp"
#include "harness/suite/results/case_results.hpp"
#include "harness/suite/results/file/kept.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

std::string describe_producer(const Json& producer) {
  return producer.value("name", "parity") + " " + producer.value("version", "");
}

/// Returns a digest of a case's file and of the settings that change it.
std::string digest_of_case(const Case& source) {
  std::error_code error;
  const std::string text = fs::exists(source.file, error) ? read_file(source.file) : "";
  return content_hash(fmt::format("{}\n{}", text, fmt::join(source.settings, "\n")));
}

}  // namespace

Suite::Suite(const std::vector<Case>& cases, const SuiteOptions& options, Progress& progress,
             const CaseListener& finished, ResultsWriter& written)
    : options_(options),
      progress_(progress),
      finished_(finished),
      written_(written),
      hashes_(options.out / "content_hashes.json"),
      program_(judging_program(hashes_)),
      store_(options.out),
      local_(fs::absolute(options.trainer), options.jobs),
      place_(options.place != nullptr ? *options.place : local_),
      machine_(place_.machine(progress)),
      plan_(plan_context(options.trainer, hashes_, machine_)),
      runner_(place_, options.use_cache, store_),
      status_(progress) {
  policy_.mode = options.golden_mode;
  policy_.reason = options.golden_reason;
  policy_.drift = options.drift;
  policy_.variant = options.golden_variant;
  policy_.origin = {"", describe_producer(options.producer), options.producer.value("commit", ""), ""};
  for (const Case& source : cases)
    add_case(source, first_twins(source));
  if (options.shard)
    keep_shard(*options.shard);
}

std::vector<CaseOutcome> Suite::run() {
  const size_t count = plan_.cases().size();
  std::list<size_t> open;
  for (size_t i = 0; i < count; ++i)
    open.push_back(i);
  for (const std::string& id : run_order(plan_))
    runner_.add(plan_.runs().at(id));
  if (options_.use_cache && options_.explains_reruns)
    if (const std::string why = explain_reruns(plan_, store_, options_.out); !why.empty())
      progress_.note(why);
  while (!open.empty() && !failed_fast_) {
    if (interrupted() && !stopped_)
      stop();
    const std::vector<std::string> ended = runner_.poll();
    for (const std::string& news : place_.take_news())
      progress_.note(news);
    const bool news = !ended.empty();
    for (const std::string& id : ended)
      if (!runs().at(id).cached)
        ends_[id] = std::chrono::steady_clock::now();
    status_.show(runner_);
    // Judge one case at a time, so that a free core soon gets its next run.
    const auto judged =
        std::find_if(open.begin(), open.end(), [&](size_t index) { return judge_if_ready(index); });
    if (judged != open.end())
      open.erase(judged);
    else if (!news)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  progress_.clear();
  for (const std::string& news : place_.take_news())
    progress_.note(news);
  for (size_t i = 0; i < count; ++i)
    if (!judged_.contains(i))
      unfinished_.push_back(plan_.cases()[i].source.name);
  if (unfinished_.empty())
    report_goldens();
  std::vector<CaseOutcome> cases;
  for (const auto& [index, outcome] : judged_)
    cases.push_back(outcome);
  return cases;
}

CacheTrim Suite::trim(const std::vector<CaseOutcome>& cases) const {
  CachePolicy policy;
  policy.most_bytes = options_.cache_bytes;
  for (const CaseOutcome& item : cases) {
    const bool kept = options_.keep_traces || !item.passed;
    (kept ? policy.kept : policy.kept_long).insert(item.runs.begin(), item.runs.end());
  }
  return trim_cache(store_.runs(), policy);
}

Twins Suite::first_twins(const Case& source) const {
  if (will_record(source, policy_.mode))
    return Twins::checks_and_golden;
  const bool may_stand = !source.problem && options_.evidence == EvidenceMode::stored &&
                         !source.golden.arms.empty() && golden::has_evidence(source.golden_file);
  return may_stand ? Twins::spare : Twins::checks;
}

void Suite::add_case(const Case& source, Twins twins) {
  plan_.add(source, twins);
  plan_.add_repetitions(plan_.cases().back());
}

void Suite::report_goldens() {
  size_t place = plan_.cases().size();
  if (!options_.unused_goldens.empty())
    report_findings(place++, unused_goldens_results(options_.unused_goldens));
  if (options_.golden_sizes && options_.golden_sizes->too_large())
    report_findings(place, oversized_goldens_results(*options_.golden_sizes));
}

void Suite::report_findings(size_t place, const results::Case& item) {
  report_case(place, row_of(item), outcome_of(item), finished_.text(item));
}

void Suite::stop() {
  stopped_ = true;
  runner_.interrupt();
}

void Suite::keep_shard(const SuiteShard& shard) {
  std::vector<ShardItem> items;
  for (const PlannedCase& planned : plan_.cases()) {
    ShardItem item{planned.source.name, {}};
    for (const PlannedArm& arm : planned.arms)
      for (const std::string& id : arm.runs())
        item.runs[id] = plan_.runs().at(id).cost();
    items.push_back(std::move(item));
  }
  const std::vector<int> shards = deal(items, shard.count);
  const Plan whole = std::exchange(plan_, Plan(plan_context(options_.trainer, hashes_, machine_)));
  std::string content;  // of the whole suite: every machine has to see the same cases, dealt in the same way
  for (size_t i = 0; i < items.size(); ++i) {
    const PlannedCase& planned = whole.cases()[i];
    content += fmt::format("{} {} {} {}\n", items[i].name, shards[i], planned.twins == Twins::spare,
                           digest_of_case(planned.source));
    if (shards[i] == shard.index)
      add_case(planned.source, planned.twins);
  }
  shard_ = {{"index", shard.index},
            {"count", shard.count},
            {"cases", items.size()},
            {"suite", content_hash(content)}};
}

bool Suite::ended(const PlannedCase& planned) const {
  return std::ranges::all_of(planned.arms, [&](const PlannedArm& arm) {
    return std::ranges::all_of(arm.runs(), [&](const std::string& id) { return runs().contains(id); });
  });
}

bool Suite::was_interrupted(const PlannedCase& planned) const {
  const auto cut = [&](const std::string& id) {
    const auto& failure = runs().at(id).failure;
    return failure && failure->kind == results::FailureKind::interrupted;
  };
  return std::ranges::any_of(planned.arms,
                             [&](const PlannedArm& arm) { return std::ranges::any_of(arm.runs(), cut); });
}

golden::StoredGolden Suite::golden_of(const Case& source) {
  return source.golden.arms.empty() && !fs::exists(source.golden_file)
             ? golden::StoredGolden()
             : golden::stored_golden(source.golden_file);
}

bool Suite::wants_golden_twins(const PlannedCase& planned, const Evidence& evidence,
                               const golden::StoredGolden& golden) const {
  const Case& source = planned.source;
  return planned.twins != Twins::checks_and_golden && !stopped_ && !records_golden(planned) &&
         golden_needs_twins(golden, evidence.arms(source.golden.arms), claims_on_golden(source));
}

bool Suite::judge_if_ready(size_t index) {
  PlannedCase& planned = plan_.cases()[index];
  if (!ended(planned))
    return false;
  if (was_interrupted(planned))
    return true;
  const auto begin = std::chrono::steady_clock::now();
  const std::string from =
      judged_from(planned, runs(), store_, hashes_, options_.out, options_.drift, program_);
  if (report_before(index, planned, from))
    return true;
  const Evidence evidence(planned, runs(), store_);
  golden::StoredGolden golden = golden_of(planned.source);
  const StandingEvidence standing = options_.evidence == EvidenceMode::stored && !records_golden(planned)
                                        ? standing_evidence(planned, evidence, golden)
                                        : StandingEvidence();
  if (const auto lacking = arms_without_evidence(planned, evidence, standing); !lacking.empty()) {
    run_more(plan_.run_spare_twins(planned, lacking));
    return stopped_;  // if so, the case stays unfinished
  }
  if (wants_golden_twins(planned, evidence, golden)) {
    run_more(plan_.add_golden_twins(planned));
    return false;
  }
  const bool records = records_golden(planned);
  auto judged = skip_reason(planned, runs()).empty()
                    ? judge_case(planned, evidence, golden, policy_, runs(), standing)
                    : std::vector<JudgedCheck>();
  if (const std::string arm = arm_to_repeat(planned, judged); !arm.empty() && !records && !stopped_) {
    run_more(plan_.add_repeat(planned, arm));
    return false;
  }
  if (const auto wanted = run_to_watch(planned, judged); wanted && !stopped_) {
    run_more(plan_.add_watched(planned, *wanted));
    return false;
  }
  describe_repeats(judged, planned, runs(), store_, options_.compare_update);
  if (records)
    golden = golden_of(planned.source);
  const auto calibration = golden.golden ? calibration_of(golden.golden->floors) : std::nullopt;
  const bool keeps = golden.golden && !planned.source.golden.arms.empty();
  const golden::GoldenContent stored = keeps ? std::move(golden.golden->arms) : golden::GoldenContent();
  results::Case item = case_results(planned, evidence, judged, stored, runs(), options_.out);
  item.power = stored_power(planned.source, options_.out);
  item.calibration = calibration;
  item.times = case_times(planned, evidence, runs(), ends_, begin);
  item.judged_from = records ? "" : from;
  const CaseText text = {finished_.form, finished_.text(item)};
  keep_results(item, text, options_.out);
  report_case(index, row_of(item), outcome_of(item), text.text);
  return true;
}

std::optional<RunToWatch> Suite::run_to_watch(const PlannedCase& planned,
                                              const std::vector<JudgedCheck>& judged) const {
  return options_.compare_update ? suite::run_to_watch(planned, judged, runs(), store_) : std::nullopt;
}

void Suite::run_more(const std::vector<std::string>& ids) {
  if (!stopped_)
    for (const std::string& id : ids)
      runner_.add(plan_.runs().at(id));
}

bool Suite::report_before(size_t place, const PlannedCase& planned, const std::string& from) {
  if (!options_.use_cache || records_golden(planned))
    return false;
  const auto before = judged_before(planned.source.name, from, options_.out);
  if (!before)
    return false;
  if (all_cached(planned) && !finished_.form.empty() && before->text.form == finished_.form) {
    report_case(place, before->row, before->outcome, before->text.text);
    return true;
  }
  results::Case item = results_of(*before);
  for (results::Arm& arm : item.arms)
    arm.cached = runs().at(arm.run).cached;
  const CaseText text = {finished_.form, finished_.text(item)};
  if (before->text.form != finished_.form)
    keep_results(item, text, options_.out);
  report_case(place, row_of(item), outcome_of(item), text.text);
  return true;
}

bool Suite::all_cached(const PlannedCase& planned) const {
  return std::ranges::all_of(planned.arms, [&](const PlannedArm& arm) { return runs().at(arm.run).cached; });
}

void Suite::report_case(size_t place, const ResultsRow& row, const CaseOutcome& outcome,
                        const std::string& text) {
  written_.add(place, row);
  judged_.emplace(place, outcome);
  progress_.clear();
  finished_.show(text);
  if (options_.fail_fast && !stopped_ && !outcome.passed && !outcome.skipped) {
    failed_fast_ = true;
    stop();
  }
}

}  // namespace parity::suite
