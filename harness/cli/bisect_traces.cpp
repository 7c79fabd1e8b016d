// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "harness/bisect/search_traces.hpp"
#include "harness/cli/bisect.hpp"
#include "harness/cli/print_search.hpp"
#include "harness/suite/last_results.hpp"

namespace parity::cli {
namespace {

struct Options {
  std::string expected, actual;
  std::string out = "out/suite";
  bool json = false;
};

ExitCode search(const Options& options) {
  const Trace expected = Trace::open(find_trace(options.expected, options.out));
  const Trace actual = Trace::open(find_trace(options.actual, options.out));
  SearchRecord record = search_traces(expected, actual);
  record.subject = options.expected + " against " + options.actual;
  return tell(record, options.out, "traces", options.json);
}

}  // namespace

void add_bisect_traces(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  app.add_option("EXPECTED", options->expected, "A trace file, a run folder, or CASE:ARM of its last run")
      ->required();
  app.add_option("ACTUAL", options->actual, "Another one")->required();
  app.add_option("--out", options->out, "Folder of the last run, and of the record")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--json", options->json, "As JSON");
  app.footer(
      "Examples:\n"
      "  parity bisect traces lr/warmup_index:one_indexed lr/warmup_index:zero_indexed\n"
      "  parity bisect traces a.h5 b.h5 --json\n"
      "Exit status 0 if the traces do not differ, 1 if they do.");
  app.callback([options, &action] { action = [options] { return search(*options); }; });
}

}  // namespace parity::cli
