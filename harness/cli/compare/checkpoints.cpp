// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/checkpoints.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/files/open_checkpoint.hpp"
#include "harness/cli/compare/pages/checkpoints.hpp"
#include "harness/cli/compare/print_checkpoints.hpp"
#include "harness/cli/compare/sides.hpp"

namespace parity::cli {
namespace {

checkpoints::Checkpoint open_side(const std::string& path) {
  if (!checkpoints::is_checkpoint(path))
    throw UserError(
        "cannot compare " + escape_to_line(path) +
        " with a checkpoint (it is none); give safetensors or torch.save files, or folders of them");
  return checkpoints::open_checkpoint(path);
}

PairOutcome checkpoint_outcome(const checkpoints::CheckpointDifference& difference,
                               const checkpoints::Checkpoint& expected,
                               const checkpoints::Checkpoint& actual) {
  PairOutcome pair{actual.path, difference.exit_code(), difference.conclusion(), difference.to_json()};
  pair.json["sides"] = {expected.text(), actual.text()};
  return pair;
}

}  // namespace

ExitCode compare_checkpoints(const CheckpointOptions& options) {
  std::vector<checkpoints::Checkpoint> sides;
  for (const std::string& path : options.sides)
    sides.push_back(open_side(path));
  std::vector<checkpoints::CheckpointDifference> differences;
  std::vector<PairOutcome> pairs;
  for (size_t i = 1; i < sides.size(); ++i) {
    differences.push_back(compare_checkpoints(sides.front(), sides[i], options.comparison));
    pairs.push_back(checkpoint_outcome(differences.back(), sides.front(), sides[i]));
  }
  const ExitCode code = overall_code(pairs);
  const std::string verdict = overall_verdict(options.sides.front(), pairs);
  if (options.json)
    print_json(options.sides.front(), pairs);
  else {
    fmt::print("{}\n", sides.front().text());
    for (size_t i = 0; i < pairs.size(); ++i) {
      fmt::print("{}{}\n\n", i == 0 ? "" : "\n", sides[i + 1].text());
      print_checkpoints(differences[i], options.all);
      if (pairs.size() > 1)
        print_verdict(pairs[i].code, pairs[i].verdict);
    }
    print_verdict(code, verdict);
  }
  const auto page = [&] {
    reports::Comparison comparison = comparison_of_checkpoints(sides, differences);
    comparison.verdict = verdict;
    comparison.agrees = code == ExitCode::agree;
    return comparison;
  };
  write_outputs(options.outputs, page, !options.json);
  return code;
}

}  // namespace parity::cli
