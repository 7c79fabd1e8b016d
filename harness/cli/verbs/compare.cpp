// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/checkpoints/files/open_checkpoint.hpp"
#include "harness/cli/verbs/compare_checkpoints.hpp"
#include "harness/cli/verbs/compare_curves.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/compare/tensors/profile.hpp"
#include "harness/compare/text/policy.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/read/read_log.hpp"
#include "harness/suite/results/compare_traces.hpp"
#include "harness/suite/results/file/last.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::cli {
namespace {

struct CompareVerbOptions {
  std::string expected;
  std::string actual;
  int64_t step = -1;
  std::vector<std::string> tensors;
  std::vector<std::string> channels;
  std::string phase;
  std::string out = "out/suite";
  std::string pattern;
  std::vector<std::string> map;
  ComparisonFile page = {};
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

  /// \throws UserError if an option for logs is used, and no side is a log
  void refuse_options_of_logs(const std::string& why) const {
    if (!page.path.empty() || !noise.empty())
      throw UserError("cannot use --html or --noise (" + why + "); leave it out");
  }
};

/// Returns the word for agreement. It is not "identical" under a policy that tolerates differences.
std::string agreeing_word(const suite::TraceDifference& difference) {
  return difference.policy.strict() ? "identical" : "equal";
}

/// Returns a number of ulps in full if it is short, else its magnitude.
std::string describe_ulp(uint64_t ulp) {
  return ulp < 10'000'000 ? std::to_string(ulp) : compare::size_text(static_cast<double>(ulp));
}

void print_channels(const suite::TraceDifference& difference) {
  std::vector<std::vector<std::string>> rows;
  for (const suite::ChannelDifference& row : difference.channels) {
    const compare::SeriesDifference& d = row.difference;
    if (!row.mismatch.empty())
      rows.push_back({row.name, row.mismatch});
    else if (row.identical())
      rows.push_back({row.name, agreeing_word(difference), "-", "0", "0", "0"});
    else
      rows.push_back({row.name, "different", d.first ? std::to_string(row.steps.at(*d.first)) : "-",
                      d.integral ? "-" : describe_ulp(d.max_ulp), compare::size_text(d.relative_l2),
                      compare::size_text(d.needed_rtol)});
    rows.back().resize(6);
  }
  fmt::print(
      "{}",
      text_table({"channel", "verdict", "first step", "max ULP", "relative L2", "passes at rtol"}, rows));
}

/// Prints both values of the step that differs most, with all digits.
void print_worst_channels(const suite::TraceDifference& difference) {
  for (const suite::ChannelDifference& row : difference.channels) {
    if (row.identical() || !row.mismatch.empty())
      continue;
    const size_t i = row.difference.worst;
    fmt::print("  {} at step {}: {} against {}\n", escape_to_line(row.name), row.steps.at(i),
               row.expected.text(i, row.difference.float32_valued),
               row.actual.text(i, row.difference.float32_valued));
  }
}

/// Prints what only one side recorded, one line for each step and phase.
void print_unmatched(const suite::TraceDifference& difference) {
  std::map<std::tuple<int64_t, trace::Phase, std::string>, size_t> counts;
  for (const suite::TensorDifference& row : difference.tensors)
    if (!row.mismatch.empty())
      ++counts[{row.key.step, row.key.phase, row.mismatch}];
  for (const auto& [key, count] : counts)
    fmt::print("  step {} {}: {} tensor{} {}\n", std::get<0>(key), name_of(std::get<1>(key)), count,
               count == 1 ? "" : "s", std::get<2>(key));
}

void print_tensors(const suite::TraceDifference& difference, bool all) {
  constexpr size_t most = 40;
  std::vector<std::vector<std::string>> rows;
  size_t hidden = 0;
  for (const suite::TensorDifference& row : difference.tensors) {
    if (!row.mismatch.empty() || (row.identical() && !all))
      continue;
    if (!all && rows.size() == most) {
      ++hidden;
      continue;
    }
    const compare::TensorGap& gap = row.gap;
    const std::string different = gap.estimated ? "different (estimate)" : "different";
    rows.push_back({std::to_string(row.key.step), std::string(name_of(row.key.phase)), row.key.name,
                    row.identical()        ? agreeing_word(difference)
                    : gap.mismatch.empty() ? different
                                           : gap.mismatch,
                    gap.max_ulp ? describe_ulp(*gap.max_ulp) : "-", compare::size_text(gap.relative_l2),
                    gap.relative_linf ? compare::size_text(*gap.relative_linf) : "-",
                    gap.worst.empty() ? "-" : fmt::format("[{}]", fmt::join(gap.worst, ", "))});
  }
  if (!rows.empty())
    fmt::print("\n{}", text_table({"step", "phase", "tensor", "verdict", "max ULP", "relative L2",
                                   "relative Linf", "worst at"},
                                  rows));
  if (hidden > 0)
    fmt::print("  and {} more; --all shows them\n", hidden);
  print_unmatched(difference);
}

/// Prints the size and place of each tensor's difference below its name.
void print_profiles(const suite::TraceDifference& difference) {
  size_t without = 0;
  for (const suite::TensorDifference& row : difference.tensors) {
    if (row.gap.profile)
      fmt::print("\n  {} {}, step {}\n{}", name_of(row.key.phase), escape_to_line(row.key.name), row.key.step,
                 profile_text(row.gap));
    else if (!row.identical() && row.mismatch.empty())
      ++without;
  }
  if (without > 0)
    fmt::print("\n  {} without a profile: it needs whole tensors of one dtype on both sides\n",
               compare::count_text(without, "tensor"));
}

/// Returns "9 channels and 21 tensors agree", without kinds that were not compared.
std::string describe_comparison(const suite::TraceDifference& difference) {
  std::vector<std::string> words;
  if (!difference.channels.empty())
    words.push_back(compare::count_text(difference.channels.size(), "channel"));
  if (!difference.tensors.empty())
    words.push_back(compare::count_text(difference.tensors.size(), "tensor"));
  const bool one = difference.channels.size() + difference.tensors.size() == 1;
  return compare::list_text(words) + (one ? " agrees" : " agree");
}

/// Prints the differences between records of single ranks.
void print_ranks(const suite::TraceDifference& difference) {
  constexpr size_t most = 10;
  const auto& rows = difference.ranks.differences;
  for (size_t i = 0; i < std::min(most, rows.size()); ++i)
    fmt::print("  {}\n", rows[i].text());
  if (rows.size() > most)
    fmt::print("  and {} more of single ranks\n", rows.size() - most);
}

/// Returns ", and so do 12 channels and tensors of single ranks"; "" if there are none.
std::string ranks_text(const suite::RankComparison& ranks) {
  std::string text = ranks.compared > 0 ? fmt::format(
                                              ", and what single ranks recorded agrees in {} channels "
                                              "and tensors",
                                              ranks.compared)
                                        : "";
  if (ranks.laid_out_otherwise > 0)
    text += fmt::format("; {} are distributed differently over ranks, and were compared as a whole",
                        compare::count_text(ranks.laid_out_otherwise, "tensor"));
  return text;
}

/// Returns the sentence for agreement. It qualifies "identical" if a run did not end.
std::string agreement(const suite::TraceDifference& difference) {
  const std::string policy = compare::policy_text(difference.policy);
  const std::string what =
      fmt::format("{}{}{}", describe_comparison(difference),
                  policy.empty() ? " bit for bit" : " where " + policy + " (bits were not compared)",
                  ranks_text(difference.ranks));
  if (difference.unfinished.empty())
    return fmt::format("{}: {}", agreeing_word(difference), what);
  if (difference.partial)
    return fmt::format("{} up to step {}: {}; {}", agreeing_word(difference), difference.last_step, what,
                       difference.unfinished);
  return fmt::format("crashed: {}; up to step {} {}; --partial compares such traces", difference.unfinished,
                     difference.last_step, what);
}

std::string conclusion(const suite::TraceDifference& difference) {
  if (difference.agrees())
    return agreement(difference);
  const std::string policy = compare::policy_text(difference.policy);
  const auto unmatched = static_cast<size_t>(
      std::count_if(difference.tensors.begin(), difference.tensors.end(),
                    [](const suite::TensorDifference& row) { return !row.mismatch.empty(); }));
  std::string text =
      fmt::format("different: {} of {} channels and {} of {} tensors", difference.differing_channels(),
                  difference.channels.size(), difference.differing_tensors() - unmatched,
                  difference.tensors.size() - unmatched);
  if (unmatched > 0)
    text += fmt::format("; {} tensors are recorded by one side only", unmatched);
  if (!policy.empty())
    text += "; all of it where " + policy;
  if (const size_t count = difference.beyond_policy(); count > 0)
    text += fmt::format(", but only sketches of {} were recorded, to which that does not apply",
                        compare::count_text(count, "tensor"));
  if (const size_t count = difference.ranks.differences.size(); count > 0)
    text += fmt::format("; single ranks differ in {}", compare::count_text(count, "place"));
  for (const std::string& more : {difference.mismatch, difference.unfinished})
    text += more.empty() ? "" : "; " + more;
  return text;
}

/// Compares two checkpoints. \throws UserError for an option that only traces and logs have
ExitCode compare_as_checkpoints(const CompareVerbOptions& options) {
  if (options.step >= 0 || !options.channels.empty() || !options.phase.empty() || options.profile)
    throw UserError(
        "cannot compare channels or steps (a checkpoint has tensors only); leave out --step, --channel, "
        "--phase and --profile");
  options.refuse_options_of_logs("a side is a checkpoint");
  CheckpointOptions sides{options.expected, options.actual, {}, options.json, options.all};
  sides.comparison = {checkpoints::parse_name_rules(options.map), options.tensors, options.policy()};
  return compare_checkpoints(sides);
}

/// Compares two sides of which at least one is a log.
/// \throws UserError for an option that only traces have
ExitCode compare_with_log(const CompareVerbOptions& options) {
  if (options.step >= 0 || !options.tensors.empty() || !options.phase.empty() || options.profile)
    throw UserError(
        "cannot compare tensors or one step (a log has channels only); leave out --step, --tensor, "
        "--phase and --profile");
  CurveOptions curves{options.expected, options.actual, options.out, {}, {}, options.json};
  curves.read = {"", options.pattern, logs::parse_map(options.map)};
  curves.filter = {options.channels, options.partial, options.policy()};
  curves.page = options.page;
  curves.noise = options.noise;
  return compare_curves(curves);
}

ExitCode compare(const CompareVerbOptions& options) {
  if (!options.page.title.empty() && options.page.path.empty())
    throw UserError("cannot use --title (no page is written); add --html FILE");
  if (checkpoints::is_checkpoint(options.expected) || checkpoints::is_checkpoint(options.actual))
    return compare_as_checkpoints(options);
  if (logs::is_log(options.expected) || logs::is_log(options.actual))
    return compare_with_log(options);
  options.refuse_options_of_logs("both sides are traces");
  if (!options.pattern.empty() || !options.map.empty())
    throw UserError("cannot use --pattern or --map (both sides are traces); leave it out");
  suite::TraceFilter filter;
  if (options.step >= 0)
    filter.step = options.step;
  if (!options.phase.empty())
    filter.phase = parse_enum<trace::Phase>(options.phase);
  filter.channels = options.channels;
  filter.tensors = options.tensors;
  filter.partial = options.partial;
  const trace::Trace expected = trace::Trace::open(suite::find_trace(options.expected, options.out));
  const trace::Trace actual = trace::Trace::open(suite::find_trace(options.actual, options.out));
  const suite::TraceDifference difference = compare_traces(
      expected, actual, filter,
      options.profile ? compare::TensorDetail::profile : compare::TensorDetail::numbers, options.policy());
  const Style style = Style::for_stream(stdout);
  if (options.json) {
    fmt::print("{}\n", json_text(difference.to_json(), 1));
  } else {
    if (!difference.channels.empty())
      print_channels(difference);
    print_worst_channels(difference);
    print_tensors(difference, options.all);
    print_ranks(difference);
    if (options.profile)
      print_profiles(difference);
    const std::string text = conclusion(difference);
    fmt::print("\n{}\n", difference.identical() ? style.good(text) : style.bad(text));
  }
  if (difference.agrees() && !difference.identical())
    return ExitCode::crashed;
  return difference.identical() ? ExitCode::agree : ExitCode::differ;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareVerbOptions>();
  app.add_option("EXPECTED", options->expected,
                 "Reference: trace file, run folder, CASE:ARM of its last run, log or checkpoint")
      ->required();
  app.add_option("ACTUAL", options->actual, "Side to compare with it, in the same forms")->required();
  app.add_option("--step", options->step, "Update to compare (default: all)")->type_name("N");
  app.add_option("--channel", options->channels, "Channels to compare, a glob; may be repeated")
      ->type_name("CHANNEL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--tensor", options->tensors, "Tensors to compare, a glob; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--phase", options->phase, "Phase of the tensors to compare: grad, param, ...")
      ->type_name("PHASE");
  app.add_option("--out", options->out, "Folder of the last run, for CASE:ARM")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--pattern", options->pattern, "Expression with named groups for the lines of text logs")
      ->type_name("REGEX");
  app.add_option("--map", options->map, "Channel or tensor OURS for the other name THEIRS; may be repeated")
      ->type_name("OURS=THEIRS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--all", options->all, "Show identical tensors too");
  app.add_flag("--partial", options->partial,
               "Accept traces of unfinished runs and logs with few common steps; compare what both have");
  app.add_flag("--profile", options->profile,
               "Show a histogram in ULPs of each differing tensor, and where it differs");
  app.add_flag("--equal-nan", options->equal_nan, "Treat a NaN as equal to a NaN at the same place");
  app.add_flag("--ignore-zero-sign", options->ignore_zero_sign, "Treat -0 as equal to +0");
  app.add_flag("--flush-subnormals", options->flush_subnormals,
               "Treat subnormal numbers as zeros, as hardware that flushes them does");
  app.add_flag("--json", options->json, "Print the differences as JSON");
  app.add_option("--html", options->page.path, "Write a page of curves and gaps, if a side is a log")
      ->type_name("FILE");
  app.add_option("--noise", options->noise,
                 "Logs of runs with other seeds: say whether the sides are farther apart than these")
      ->type_name("SEED")
      ->expected(1, 1000)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--title", options->page.title, "Title of the page")->type_name("TEXT");
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
      "  parity compare a.csv b.csv --noise seed1.csv seed2.csv seed3.csv\n"
      "  parity compare a.h5 b.log --pattern 'step (?<step>[0-9]+) loss (?<loss>[0-9.]+)'\n"
      "  parity compare a.safetensors hf_folder --tensor 'layers.*' --map 'layers.*.wq=h.*.q'\n"
      "A checkpoint is a safetensors or torch.save file, a folder of them, or of "
      "torch.distributed.checkpoint.\n"
      "A log is JSON lines, CSV, TSV, trainer_state.json, or text of nanoGPT, Megatron, DeepSpeed; - is "
      "stdin.\n"
      "It is also a folder of TensorBoard, or an offline run of W&B, if Python has their packages.\n"
      "Exit status 0 if everything compared agrees (bit for bit, except for differences that an option\n"
      "treats as equal), 1 if not, 3 if logs have too little in common,\n"
      "4 if it agrees and a run did not end.");
  app.callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace parity::cli
