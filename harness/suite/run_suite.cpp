// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/run_suite.hpp"

#include <chrono>

#include "harness/base/elapsed.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/results/schema.hpp"
#include "harness/suite/suite.hpp"

namespace parity::suite {
namespace {

Json environment_json(const std::vector<Case>& cases, int jobs, const Machine& machine) {
  return {{"cpu_vendor", machine.cpu.at("vendor")},
          {"cpu_features", machine.cpu.at("features")},
          {"cores", jobs},
          {"profile", cases.empty() ? name_of(Profile::portable) : name_of(cases.front().profile)}};
}

}  // namespace

SuiteOutcome run_suite(const std::vector<Case>& cases, const SuiteOptions& options, Progress& progress,
                       const CaseListener& finished) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string started = utc_now();
  const FolderLock lock(options.out, shell_quote(options.command));
  const InterruptGuard guard;
  remove_temporaries(options.out);
  ResultsWriter writer(options.out / "results.json");
  Suite suite(cases, options, progress, finished, writer);
  SuiteOutcome outcome;
  outcome.cases = suite.run();
  outcome.unfinished = suite.unfinished();
  outcome.interrupted = !outcome.unfinished.empty() && !suite.failed_fast();
  Json rest = {{"schema", results::schema},
               {"producer", options.producer},
               {"command", options.command},
               {"started", started},
               {"environment", environment_json(cases, options.jobs, suite.machine())},
               {"summary", summary_of(outcome.cases, suite.runs())},
               {"interrupted", outcome.interrupted},
               {"unfinished", outcome.unfinished}};
  if (!suite.shard().is_null()) {
    rest["shard"] = suite.shard();
    rest["environment"]["shard"] = options.shard->text();
  }
  if (options.golden_sizes)
    rest["goldens"] = options.golden_sizes->to_json();
  if (const std::string trimmed = suite.trim(outcome.cases).text(); !trimmed.empty())
    progress.note(trimmed);
  rest["seconds"] = seconds_since(begin);
  outcome.earlier = keep_earlier_report(writer.rows(), options.out);
  writer.finish(rest);
  return outcome;
}

}  // namespace parity::suite
