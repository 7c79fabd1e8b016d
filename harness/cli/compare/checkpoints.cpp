// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/checkpoints.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <thread>

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
    throw UserError("cannot compare " + escape_to_line(path) + " with a checkpoint (" +
                    (std::filesystem::exists(path) ? "it is none" : "it does not exist") +
                    "); give safetensors or torch.save files, or folders of them");
  return checkpoints::open_checkpoint(path);
}

/// Opens as many sides at once as there are cores, since PyTorch's files each need a Python process.
/// \throws UserError that the first bad side has
std::vector<checkpoints::Checkpoint> open_sides(const std::vector<std::string>& paths) {
  const size_t at_once = std::max(1U, std::thread::hardware_concurrency());
  std::vector<checkpoints::Checkpoint> sides;
  while (sides.size() < paths.size()) {
    std::vector<std::future<checkpoints::Checkpoint>> opened;
    for (size_t i = sides.size(); i < std::min(paths.size(), sides.size() + at_once); ++i)
      opened.push_back(std::async(std::launch::async, open_side, paths[i]));
    for (std::future<checkpoints::Checkpoint>& side : opened)
      sides.push_back(side.get());
  }
  return sides;
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
  const std::vector<checkpoints::Checkpoint> sides = open_sides(options.sides);
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
