// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/heartbeat.hpp"

#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {

using HeartbeatTest = FolderTest;

TEST_F(HeartbeatTest, HeartbeatFile_NamesProgressAndWaitingPlace) {
  const auto said = [&] { return Json::parse(read_file(folder / "beat.1")); };
  Heartbeat heartbeat(folder / "beat.{rank}", 1);
  EXPECT_EQ(said(), Json::object());
  heartbeat.beat(3, "train");
  heartbeat.collective(120, "all_reduce over tp");
  EXPECT_EQ(
      said(),
      Json({{"step", 3}, {"phase", "train"}, {"collectives", 120}, {"waits_in", "all_reduce over tp"}}));
  heartbeat.collective(120, "");
  heartbeat.beat(4, "train");
  EXPECT_EQ(said().at("waits_in"), "");
  EXPECT_EQ(said().at("collectives"), 120);
  heartbeat.collective(1'000'000'000'000, std::string(1000, 'x'));
  EXPECT_EQ(said().at("collectives"), 1'000'000'000'000) << "a long word leaves it readable";
}

TEST_F(HeartbeatTest, WithoutAFileItIsSilent) {
  Heartbeat heartbeat("", 0);
  heartbeat.beat(1, "train");
  heartbeat.collective(1, "all_reduce over tp");
}

}  // namespace
}  // namespace parity
