// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/explain/explain.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "harness/cli/print/explanation.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::cli {
namespace {

struct ExplainOptions {
  std::string first, second;
  std::string out = "out/suite";
  bool all = false;
  bool json = false;
};

ExitCode run_explain(const ExplainOptions& options) {
  const trace::Trace first = trace::Trace::open(suite::find_trace(options.first, options.out));
  const trace::Trace second = trace::Trace::open(suite::find_trace(options.second, options.out));
  const explain::Explanation found = explain::explain(first, second);
  if (options.json)
    fmt::print("{}\n", json_text(found.to_json(), 1));
  else
    print_explanation(found, options.first, options.second, options.all);
  return found.exit_code();
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("A", options->first, "Trace, folder of a run, or CASE:ARM of the last run")
      ->type_name("TRACE")
      ->required();
  app.add_option("B", options->second, "The other run")->type_name("TRACE")->required();
  app.add_option("--out", options->out, "Folder of the results that CASE:ARM refers to")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--all", options->all, "Also list what is the same");
  app.add_flag("--json", options->json, "Print the explanation as JSON (schema parity.explain/1)");
  app.footer(
      "Says in what two runs differ before any of their numbers: weights, data, optimizer, schedule,\n"
      "clipping, operators, layout, config, environment. What matters most comes first.\n"
      "Examples:\n"
      "  parity explain ours/trace.h5 theirs/trace.h5\n"
      "  parity explain lr/warmup_index:zero_indexed lr/warmup_index:one_indexed\n"
      "Exit status 0 if the recipes agree, 1 if they differ, 3 if nothing could be compared.");
  app.callback([options, &action] { action = [options] { return run_explain(*options); }; });
}

}  // namespace parity::cli
