// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/base/json/json.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/trace/read/trace.hpp"
#include "harness/trace/write/join_run.hpp"

namespace parity::cli {
namespace {

struct JoinOptions {
  std::string path;
  bool json = false;
};

Json to_json(const trace::JoinedRun& run) {
  Json ranks = Json::array();
  for (const trace::LeftRank& left : run.others)
    ranks.push_back({{"rank", left.rank},
                     {"state", name_of(left.state)},
                     {"file", left.file},
                     {"last_step", left.last_step},
                     {"why", left.why}});
  return {{"trace", run.trace.string()},
          {"complete", run.complete},
          {"last_step", run.last_step},
          {"ranks", ranks},
          {"reason", run.reason}};
}

void print_join(const trace::JoinedRun& run) {
  const Style style = Style::for_stream(stdout);
  const std::string what = fmt::format("{}: {} ranks, last step {}", escape_to_line(run.trace.string()),
                                       run.others.size() + 1, run.last_step);
  if (run.complete)
    fmt::print("{}\n", style.good(what + ", complete"));
  else
    fmt::print("{}\n", style.bad(what + ", partial: " + escape_to_line(run.reason)));
}

ExitCode join(const JoinOptions& options) {
  const trace::JoinedRun run = trace::join_run(options.path);
  static_cast<void>(trace::Trace::open(run.trace));  // refuses shards that do not make a whole
  if (options.json)
    fmt::print("{}\n", json_text(to_json(run), 1));
  else
    print_join(run);
  return run.complete ? ExitCode::agree : ExitCode::crashed;
}

}  // namespace

void add_join(CLI::App& app, Action& action) {
  auto options = std::make_shared<JoinOptions>();
  app.add_option("TRACE", options->path, "Trace of rank 0, or the folder of its trace.h5")->required();
  app.add_flag("--json", options->json, "Print what each rank left as JSON");
  app.footer(
      "Rank 0 writes the index at the end of a run, if the other ranks' files are there. For files that\n"
      "were put together later, or that a killed run left, this verb writes it.\n"
      "Examples:\n"
      "  parity join run\n"
      "  parity join run/trace.h5 --json\n"
      "Exit status 0 if the trace is complete, 3 if rank 0 left none, 4 if it stays partial.");
  app.callback([options, &action] { action = [options] { return join(*options); }; });
}

}  // namespace parity::cli
