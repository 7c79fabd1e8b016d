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
  std::vector<std::string> heads;
  for (const checkpoints::Checkpoint& side : sides)
    heads.push_back(side.text());
  return conclude(
      {options.sides.front(), pairs, heads, [&](size_t i) { print_checkpoints(differences[i], options.all); },
       [&] { return comparison_of_checkpoints(sides, differences); }},
      options.outputs, options.json);
}

}  // namespace parity::cli
