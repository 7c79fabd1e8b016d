// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/comm_channels.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/config/channels.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class CommChannelsTest : public RanksTest {};

void expect(const CommChannels::Values& values, const std::string& name, int64_t wanted) {
  const auto found = values.find(name);
  require(found != values.end(), "no channel " + name);
  require(found->second == wanted, fmt::format("{} is {}, not {}", name, found->second, wanted));
}

TEST_F(CommChannelsTest, AReplicatedUpdateGivesEachGradientOnce) {
  const auto complaints = run_ranks(2, [](Group& world) {
    RunConfig config = tiny_config();
    config.parallel.dp_replicate = 2;
    Trainer trainer(config, held(world));
    int64_t bytes = 0;
    for (const Parameter& parameter : trainer.parameters())
      bytes += 4 * parameter.value.numel();
    CommChannels channels;
    for (int64_t step = 1; step <= 2; ++step) {
      channels.begin(trainer.world());
      trainer.step();
      const CommChannels::Values values = channels.end(trainer.world());
      expect(values, "comm.dp_replicate.all_reduce.bytes", bytes);
      expect(values, "comm.dp_replicate.all_reduce.calls", static_cast<int64_t>(trainer.parameters().size()));
    }
  });
  EXPECT_THAT(complaints, Each(""));
}

TEST_F(CommChannelsTest, KindsAreThoseOfTheFirstUpdate) {
  const auto complaints = run_ranks(2, [](Group& world) {
    const torch::Tensor four = torch::zeros({4});
    world.broadcast(four, 0);  // before the first update, so not part of it
    CommChannels channels;
    channels.begin(world);
    world.all_reduce(four);
    require(channels.end(world) ==
                CommChannels::Values{{"comm.world.all_reduce.bytes", 16}, {"comm.world.all_reduce.calls", 1}},
            "first update");
    channels.begin(world);
    world.all_gather(four);
    require(channels.end(world) ==
                CommChannels::Values{{"comm.world.all_reduce.bytes", 0}, {"comm.world.all_reduce.calls", 0}},
            "second update");
  });
  EXPECT_THAT(complaints, Each(""));
}

TEST_F(CommChannelsTest, OneRankHasNone) {
  const auto complaints = run_ranks(1, [](Group& world) {
    CommChannels channels;
    channels.begin(world);
    world.all_reduce(torch::zeros({4}));
    require(channels.end(world).empty(), "a channel");
  });
  EXPECT_THAT(complaints, Each(""));
}

TEST(CommChannelNamesTest, AreListedSoThatACaseMayAskForThem) {
  EXPECT_THAT(channels(), testing::Contains(testing::Field(&ChannelRow::name, "comm.tp.all_gather.bytes")));
}

}  // namespace
}  // namespace parity::reference
