// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/starts.hpp"

#include <array>
#include <string_view>

namespace parity::coverage {
namespace {

using suite::Launch;
using suite::Launcher;

struct Row {
  std::string_view name;
  bool (*has)(const Launch& launch);
};

constexpr auto rows = std::to_array<Row>({
    {"torchrun", [](const Launch& launch) { return launch.launcher == Launcher::torchrun; }},
    {"mpirun", [](const Launch& launch) { return launch.launcher == Launcher::mpirun; }},
    {"srun", [](const Launch& launch) { return launch.launcher == Launcher::srun; }},
    {"external", [](const Launch& launch) { return launch.launcher == Launcher::external; }},
    {"remote", [](const Launch& launch) { return launch.launcher == Launcher::remote; }},
    {"several_nodes", [](const Launch& launch) { return launch.nodes > 1; }},
    {"local_traces", [](const Launch& launch) { return !launch.local_traces.empty(); }},
    {"no_shared_folder", [](const Launch& launch) { return !launch.shared_folder; }},
});

}  // namespace

std::vector<WayToStart> ways_to_start() {
  std::vector<WayToStart> ways;
  for (const Row& row : rows)
    ways.push_back({std::string(row.name)});
  return ways;
}

void add_arm(std::vector<WayToStart>& ways, const Launch& launch, const ArmFeatures& arm) {
  for (size_t way = 0; way < rows.size(); ++way) {
    if (!rows.at(way).has(launch))
      continue;
    ways.at(way).arms.push_back(arm.name);
    for (size_t feature = 0; feature < arm.held.size(); ++feature)
      if (arm.held[feature] == Held::yes)
        ways.at(way).features.insert(feature);
  }
}

}  // namespace parity::coverage
