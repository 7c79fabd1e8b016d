// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/checkpoints/files/open_checkpoint.hpp"
#include "harness/cli/compare/checkpoints.hpp"
#include "harness/cli/compare/logs.hpp"
#include "harness/cli/compare/traces.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/logs/read/read_log.hpp"

namespace parity::cli {
namespace {

struct CompareVerbOptions {
  std::string expected, actual;
  std::vector<std::string> more;
  int64_t step = -1;
  std::vector<std::string> tensors;
  std::vector<std::string> channels;
  std::string phase;
  std::string out = "out/suite";
  std::string pattern;
  std::vector<std::string> map;
  ComparisonOutputs outputs = {};
  std::vector<std::string> noise;
  bool json = false;
  bool all = false;
  bool partial = false;
  bool profile = false;
  bool equal_nan = false;
  bool ignore_zero_sign = false;
  bool flush_subnormals = false;

  measure::DifferencePolicy policy() const {
    measure::DifferencePolicy policy;
    if (equal_nan)
      policy.nan = measure::DifferencePolicy::Nan::equal_if_both;
    if (ignore_zero_sign)
      policy.zero_sign = measure::DifferencePolicy::ZeroSign::ignored;
    if (flush_subnormals)
      policy.subnormal = measure::DifferencePolicy::Subnormal::as_zero;
    return policy;
  }

  /// Returns all sides, the reference first.
  std::vector<std::string> sides() const {
    std::vector<std::string> names = {expected, actual};
    names.insert(names.end(), more.begin(), more.end());
    return names;
  }

  /// \throws UserError if an option for logs is given
  void refuse_options_of_logs(const std::string& why) const {
    if (!noise.empty() || !pattern.empty())
      throw UserError("cannot use --noise or --pattern (" + why + "); leave it out");
  }
};

/// Compares checkpoints. \throws UserError for an option that only traces and logs have
ExitCode compare_as_checkpoints(const CompareVerbOptions& options) {
  if (options.step >= 0 || !options.channels.empty() || !options.phase.empty() || options.profile ||
      options.partial)
    throw UserError(
        "cannot compare channels or steps (a checkpoint has tensors only); leave out --step, --channel, "
        "--phase, --profile and --partial");
  options.refuse_options_of_logs("a side is a checkpoint");
  CheckpointOptions checkpoints;
  checkpoints.sides = options.sides();
  checkpoints.comparison = {checkpoints::parse_name_rules(options.map), options.tensors, options.policy()};
  checkpoints.json = options.json;
  checkpoints.all = options.all;
  checkpoints.outputs = options.outputs;
  return compare_checkpoints(checkpoints);
}

/// Compares sides of which at least one is a log.
/// \throws UserError for an option that only traces have
ExitCode compare_with_log(const CompareVerbOptions& options) {
  if (options.step >= 0 || !options.tensors.empty() || !options.phase.empty() || options.profile)
    throw UserError(
        "cannot compare tensors or one step (a log has channels only); leave out --step, --tensor, "
        "--phase and --profile");
  LogOptions curves;
  curves.sides = options.sides();
  curves.out = options.out;
  curves.read = {"", options.pattern, logs::parse_map(options.map)};
  curves.filter = {options.channels, options.partial, options.policy()};
  curves.json = options.json;
  curves.all = options.all;
  curves.outputs = options.outputs;
  curves.noise = options.noise;
  return compare_logs_or_traces(curves);
}

/// Compares traces. \throws UserError for an option that only logs have
ExitCode compare_as_traces(const CompareVerbOptions& options) {
  options.refuse_options_of_logs("all sides are traces");
  if (!options.map.empty())
    throw UserError("cannot use --map (all sides are traces); leave it out");
  TraceOptions traces;
  traces.sides = options.sides();
  traces.out = options.out;
  if (options.step >= 0)
    traces.filter.step = options.step;
  if (!options.phase.empty())
    traces.filter.phase = parse_enum<trace::Phase>(options.phase);
  traces.filter.channels = options.channels;
  traces.filter.tensors = options.tensors;
  traces.filter.partial = options.partial;
  traces.policy = options.policy();
  traces.profile = options.profile;
  traces.json = options.json;
  traces.all = options.all;
  traces.outputs = options.outputs;
  return compare_all_traces(traces);
}

ExitCode compare(const CompareVerbOptions& options) {
  if (!options.outputs.title.empty() && !options.outputs.any())
    throw UserError("cannot use --title (nothing is written); add --report DIR, --html FILE or --plots DIR");
  const std::vector<std::string> sides = options.sides();
  if (std::ranges::any_of(sides, checkpoints::is_checkpoint))
    return compare_as_checkpoints(options);
  if (std::ranges::any_of(sides, logs::is_log))
    return compare_with_log(options);
  return compare_as_traces(options);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareVerbOptions>();
  app.add_option("EXPECTED", options->expected,
                 "Reference: trace file, run folder, CASE:ARM of its last run, log or checkpoint")
      ->required();
  app.add_option("ACTUAL", options->actual, "Side to compare with it, in the same forms")->required();
  app.add_option("MORE", options->more, "Further sides to compare with the reference");
  app.add_option("--step", options->step, "Update to compare (default: all)")->type_name("N");
  add_repeated(app, "--channel", options->channels, "Channels to compare, a glob; may be repeated",
               "CHANNEL");
  add_repeated(app, "--tensor", options->tensors, "Tensors to compare, a glob; may be repeated", "NAME");
  app.add_option("--phase", options->phase, "Phase of the tensors to compare: grad, param, ...")
      ->type_name("PHASE");
  app.add_option("--out", options->out, "Folder of the last run, for CASE:ARM")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--pattern", options->pattern, "Expression with named groups for the lines of text logs")
      ->type_name("REGEX");
  add_repeated(app, "--map", options->map,
               "Channel or tensor OURS for the other name THEIRS; may be repeated", "OURS=THEIRS");
  app.add_flag("--all", options->all, "Show identical tensors too, and every channel of a log");
  app.add_flag("--partial", options->partial,
               "Accept traces of unfinished runs and logs with few common steps; compare what both have");
  app.add_flag("--profile", options->profile,
               "Show a histogram in ULPs of each differing tensor, and where it differs");
  app.add_flag("--equal-nan", options->equal_nan, "Treat a NaN as equal to a NaN at the same place");
  app.add_flag("--ignore-zero-sign", options->ignore_zero_sign, "Treat -0 as equal to +0");
  app.add_flag("--flush-subnormals", options->flush_subnormals,
               "Treat subnormal numbers as zeros, as hardware that flushes them does");
  app.add_flag("--json", options->json, "Print the differences as JSON");
  app.add_option("--html", options->outputs.html, "Write a page of what was compared")->type_name("FILE");
  app.add_option("--plots", options->outputs.plots,
                 "Draw curves as PNG and SVG, with plots.md for a pull request")
      ->type_name("DIR");
  app.add_option("--report", options->outputs.report, "Write the page and the plots into one folder")
      ->type_name("DIR");
  app.add_option("--noise", options->noise,
                 "Logs of runs with other seeds: say whether the sides are farther apart than these")
      ->type_name("SEED")
      ->expected(1, 1000)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--title", options->outputs.title, "Title of the page and of the plots")->type_name("TEXT");
  app.footer(
      "Examples:\n"
      "  parity compare lr/warmup_index:one_indexed lr/warmup_index:zero_indexed\n"
      "  parity compare loss/accumulation:whole loss/accumulation:whole:float64\n"
      "  parity compare a.h5 b.h5 --step 3 --tensor 'layers.0.*' --phase grad\n"
      "  parity compare a.h5 b.h5 --tensor 'layers.0.attention.*' --profile\n"
      "  parity compare a.h5 b.h5 --channel loss --json\n"
      "  parity compare a.h5 b.h5 --equal-nan --ignore-zero-sign\n"
      "  parity compare out/suite/runs/ID a.h5 --partial\n"
      "  parity compare a.jsonl b.csv --map loss=train/my_loss\n"
      "  parity compare a.csv b.jsonl --html curves.html --title 'After the refactoring'\n"
      "  parity compare base.jsonl lr2.jsonl lr3.jsonl --report out/runs\n"
      "  parity compare a.csv b.csv --noise seed1.csv seed2.csv seed3.csv\n"
      "  parity compare a.h5 b.log --pattern 'step (?<step>[0-9]+) loss (?<loss>[0-9.]+)'\n"
      "  parity compare a.safetensors hf_folder --tensor 'layers.*' --map 'layers.*.wq=h.*.q'\n"
      "A checkpoint is a safetensors or torch.save file, a folder of them, or of "
      "torch.distributed.checkpoint.\n"
      "A log is JSON lines, a JSON list, CSV, TSV, trainer_state.json, text of nanoGPT, Megatron, DeepSpeed, "
      "torchtitan,\nHugging Face; - is stdin.\n"
      "It is also a folder of TensorBoard, an offline run of W&B or a Parquet file, if Python has their "
      "packages.\n"
      "Exit status 0 if everything compared agrees (bit for bit, except for differences that an option\n"
      "treats as equal), 1 if not, 3 if logs have too little in common,\n"
      "4 if it agrees and a run did not end.");
  app.callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace parity::cli
