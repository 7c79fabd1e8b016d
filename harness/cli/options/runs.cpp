// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/runs.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/cores.hpp"
#include "harness/bisect/traces/update_difference.hpp"
#include "harness/cli/options/own_program.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/runs/cache.hpp"

namespace parity::cli {
namespace fs = std::filesystem;

void RunOptions::add_to(CLI::App& app) {
  app.add_option("--out", out, "Folder for results, report and runs")
      ->type_name("DIR")
      ->capture_default_str();
  add_trainer_option(app, trainer);
  app.add_option("-j,--jobs", jobs, "Number of core slots; a run takes ranks x threads (default: all cores)")
      ->type_name("N");
  app.add_flag("--no-cache", no_cache, "Run everything again, without cached runs");
  app.add_option("--cache-size", cache_size,
                 "Largest size of OUT/runs (K, M, G, T); the least recently used runs are dropped")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_flag("--keep-traces", keep_traces,
               "Never drop runs of these cases (default: runs of passed cases are dropped last)");
  app.add_flag("--json", json, "Print the results as JSON");
}

void RunOptions::add_search_options(CLI::App& app, const std::string& holds) {
  app.add_option("--out", out, fmt::format("Folder of the results{}", holds))
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("-j,--jobs", jobs, "Number of core slots for runs of a case (default: all cores)")
      ->type_name("N");
  app.add_option("--cache-size", cache_size, "Largest total size of kept runs (K, M, G, T)")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_flag("--json", json, "Print the record as JSON");
}

suite::SuiteOptions RunOptions::suite_options() const {
  if (jobs && *jobs < 1)
    throw UserError(fmt::format("invalid --jobs {} (a run needs a core); omit it to use every core", *jobs));
  suite::SuiteOptions options;
  options.out = fs::path(out).lexically_normal();
  options.trainer = find_trainer(trainer);
  options.jobs = jobs.value_or(core_count());
  options.use_cache = !no_cache;
  options.cache_bytes = suite::parse_bytes(cache_size);
  options.keep_traces = keep_traces;
  options.producer = producer();
  options.command = own_command_line();
  options.compare_update = bisect::describe_update_difference;
  return options;
}

void add_drift_option(CLI::App& app, std::string& drift) {
  app.add_option("--drift", drift,
                 "How to treat rounding differences caused by a different machine or library: notice or fail")
      ->type_name("DRIFT")
      ->capture_default_str();
}

}  // namespace parity::cli
