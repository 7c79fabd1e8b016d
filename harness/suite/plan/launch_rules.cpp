// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/launch_rules.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/suite/plan/command_words.hpp"

namespace parity::suite {

Launch launch_of(const Arm& arm, int ranks) {
  Launch launch = arm.launch;
  try {
    check_launch(launch, arm.is_command());
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: arm {}: {}", arm.place.text(), arm.name, error.what()));
  }
  if (launch.is_local())
    return launch;
  if (launch.launcher == Launcher::remote)
    launch.nodes = static_cast<int>(launch.hosts.size());
  if (launch.ranks_per_node == 0 && ranks % launch.nodes == 0)
    launch.ranks_per_node = ranks / launch.nodes;
  if (int64_t{launch.nodes} * launch.ranks_per_node == ranks)
    return launch;
  const std::string each =
      launch.ranks_per_node == 0 ? "" : fmt::format(" with {} ranks each", launch.ranks_per_node);
  throw UserError(
      fmt::format("{}: arm {} has {} nodes{} and {} ranks (each node has the same number); change 'nodes', "
                  "'ranks_per_node' or the number of ranks",
                  arm.place.text(), arm.name, launch.nodes, each, ranks));
}

std::vector<std::string> expand_launch_words(const Launch& launch, int ranks) {
  std::vector<std::string> words = launch.options;
  for (std::string& word : words) {
    replace_all(word, "{ranks}", std::to_string(ranks));
    replace_all(word, "{nodes}", std::to_string(launch.nodes));
    replace_all(word, "{ranks_per_node}", std::to_string(launch.ranks_per_node));
  }
  return words;
}

}  // namespace parity::suite
