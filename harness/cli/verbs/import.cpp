// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/logs/read/read_log.hpp"
#include "harness/logs/trace_log.hpp"

namespace parity::cli {
namespace {

struct ImportOptions {
  std::string path, kind, pattern, trace;
  std::vector<std::string> map;
  bool json = false;
};

ExitCode import_log(const ImportOptions& options) {
  const logs::Log log =
      logs::read_log(options.path, {options.kind, options.pattern, logs::parse_map(options.map)});
  const std::vector<std::string> notes = write_trace(log, options.trace);
  if (options.json) {
    Json channels = Json::object();
    for (const auto& [name, channel] : log.channels)
      channels[name] = {
          {"name", channel.source}, {"kind", name_of(channel.kind)}, {"steps", channel.steps.size()}};
    fmt::print("{}\n", json_text({{"trace", options.trace},
                                  {"format", log.format},
                                  {"steps", log.steps().size()},
                                  {"channels", channels},
                                  {"notes", notes}},
                                 1));
    return ExitCode::agree;
  }
  fmt::print("{}\n", log.text());
  for (const std::string& note : notes)
    fmt::print("  {}\n", note);
  fmt::print("wrote {}\n", escape_to_line(options.trace));
  return ExitCode::agree;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  auto options = std::make_shared<ImportOptions>();
  app.add_option("PATH", options->path,
                 "Log to read, also a folder of TensorBoard or W&B; - is the standard input")
      ->required();
  app.add_option("--kind", options->kind,
                 "Format: jsonl, json, csv, tsv, trainer_state or text (default: recognised by content)")
      ->type_name("KIND");
  app.add_option("--pattern", options->pattern, "Expression with named groups for the lines of a text log")
      ->type_name("REGEX");
  add_repeated(app, "--map", options->map, "Channel OURS for the log's name THEIRS; may be repeated",
               "OURS=THEIRS");
  app.add_option("-o,--output", options->trace, "Trace to write")->type_name("FILE")->required();
  app.add_flag("--json", options->json, "Print what was imported as JSON");
  app.footer(
      "Examples:\n"
      "  parity import metrics.jsonl -o a.h5\n"
      "  parity import history.csv --map loss=train/my_loss -o b.h5\n"
      "  parity import run.log --pattern 'step (?<step>[0-9]+) loss (?<loss>[0-9.]+)' -o c.h5\n"
      "  parity import wandb/offline-run-20261125_123708-x1 -o d.h5\n"
      "Exit status 0 if the trace was written, 2 if the log cannot be read, 3 if it needs a package of "
      "Python.");
  app.callback([options, &action] { action = [options] { return import_log(*options); }; });
}

}  // namespace parity::cli
