// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/starts.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/coverage/arm_with.hpp"

namespace parity::coverage {
namespace {

using suite::Launch;
using suite::Launcher;
using testing::ElementsAre;
using testing::IsEmpty;

const WayToStart& way(const std::vector<WayToStart>& ways, std::string_view name) {
  const auto found = std::ranges::find(ways, name, &WayToStart::name);
  EXPECT_NE(found, ways.end()) << name;
  return *found;
}

TEST(WaysToStart, LaunchOfParity_IsNone) {
  std::vector<WayToStart> ways = ways_to_start();
  add_arm(ways, Launch(), arm_with("a:one", {"fsdp"}));
  for (const WayToStart& each : ways)
    EXPECT_THAT(each.arms, IsEmpty()) << each.name;
}

TEST(WaysToStart, EachKeyOfALaunch_IsAWay) {
  std::vector<WayToStart> ways = ways_to_start();
  Launch launch = {Launcher::torchrun, 2, 1, {}, "/tmp", false};
  add_arm(ways, launch, arm_with("a:one", {"fsdp", "sgd"}));
  for (const char* name : {"torchrun", "several_nodes", "local_traces", "no_shared_folder"})
    EXPECT_THAT(way(ways, name).arms, ElementsAre("a:one")) << name;
  for (const Launcher other : {Launcher::mpirun, Launcher::srun, Launcher::external, Launcher::remote}) {
    EXPECT_THAT(way(ways, name_of(other)).arms, IsEmpty());
    add_arm(ways, {other, 1, 1, {}}, arm_with("a:two", {"sgd"}));
    EXPECT_THAT(way(ways, name_of(other)).arms, ElementsAre("a:two"));
  }
  EXPECT_THAT(way(ways, "several_nodes").arms, ElementsAre("a:one"));
}

TEST(WaysToStart, FeaturesOfItsArms_AreMet) {
  std::vector<WayToStart> ways = ways_to_start();
  const Launch launch = {Launcher::torchrun, 1, 1, {}};
  add_arm(ways, launch, {"other:program", {}});
  EXPECT_THAT(way(ways, "torchrun").features, IsEmpty());
  add_arm(ways, launch, arm_with("a:one", {"fsdp"}, {"clipping"}));
  add_arm(ways, launch, arm_with("a:two", {"sgd", "fsdp"}));
  EXPECT_THAT(way(ways, "torchrun").features,
              testing::UnorderedElementsAre(find_feature("fsdp"), find_feature("sgd")))
      << "an act without a trace is not met";
}

}  // namespace
}  // namespace parity::coverage
