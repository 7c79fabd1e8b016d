// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/bisect/traces/search_traces.hpp"
#include "harness/cli/bisect/bisect.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/print/search.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::cli {
namespace {

struct BisectTracesVerbOptions {
  std::string expected, actual;
  std::string out = "out/suite";
  bool json = false;
  std::vector<std::string> names;
  bool no_align = false;
  double beyond = 0;
};

/// Splits "REGEX=REPLACEMENT" at the last '='.
std::pair<std::string, std::string> name_rule(const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0)
    throw UserError(fmt::format("invalid --name '{}' (expected REGEX=REPLACEMENT)", text));
  return {text.substr(0, at), text.substr(at + 1)};
}

ExitCode bisect_traces(const BisectTracesVerbOptions& options) {
  const trace::Trace expected = trace::Trace::open(suite::find_trace(options.expected, options.out));
  trace::Trace actual = trace::Trace::open(suite::find_trace(options.actual, options.out));
  if (!(options.beyond >= 0))
    throw UserError(
        fmt::format("invalid --beyond {} (expected 0 or more: a share of a tensor's norm)", options.beyond));
  bisect::TraceSearch how;
  for (const std::string& text : options.names)
    how.names.push_back(name_rule(text));
  how.align = !options.no_align;
  how.beyond = options.beyond;
  bisect::SearchRecord record = search_traces(expected, actual, how);
  record.subject = options.expected + " against " + options.actual;
  return report_search(record, options.out, "traces", options.json);
}

}  // namespace

void add_bisect_traces(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectTracesVerbOptions>();
  app.add_option("EXPECTED", options->expected,
                 "Reference: trace file, run folder, or CASE:ARM of its last run")
      ->required();
  app.add_option("ACTUAL", options->actual, "Trace to compare with it, in the same forms")->required();
  app.add_option("--out", options->out, "Folder of the last run and of the record")
      ->type_name("DIR")
      ->capture_default_str();
  add_repeated(
      app, "--name", options->names,
      "Rename tensors of the second trace to names of the first by REGEX=REPLACEMENT; may be repeated",
      "RULE");
  app.add_flag("--no-align", options->no_align,
               "Do not pair tensors with different names by order of execution, shape and norm");
  app.add_option("--beyond", options->beyond,
                 "Largest relative difference that does not count; 0: every bit counts")
      ->type_name("X")
      ->capture_default_str();
  app.add_flag("--json", options->json, "Print the record as JSON");
  app.footer(
      "Examples:\n"
      "  parity bisect traces lr/warmup_index:one_indexed lr/warmup_index:zero_indexed\n"
      "  parity bisect traces a.h5 b.h5 --beyond 1e-5 --json\n"
      "  parity bisect traces titan.h5 hf.h5 --name 'model\\.embed_tokens=tok_embeddings'\n"
      "Exit status 0 if the traces do not differ, 1 if they do.");
  app.callback([options, &action] { action = [options] { return bisect_traces(*options); }; });
}

}  // namespace parity::cli
