// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/comm/group.hpp"
#include "reference/train/run/provenance.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/devices/foreign_device.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using CheckpointOnDeviceTest = RanksTest;

std::unique_ptr<Trainer> trainer_on(const RunConfig& config, const Device& device) {
  return std::make_unique<Trainer>(config, Group::world({}, {}, device));
}

/// Losses of updates 4 to 6, after a checkpoint of update 3 made on another device.
std::vector<double> losses_after(const RunConfig& config, const Device& first, const Device& second,
                                 const std::filesystem::path& file) {
  const auto before = trainer_on(config, first);
  for (int step = 0; step < 3; ++step)
    before->step();
  before->save(file);
  RunConfig other_weights = config;
  other_weights.seed = 99;  // everything must come from the file
  const auto after = trainer_on(other_weights, second);
  after->load(file, {});
  std::vector<double> losses;
  for (int step = 0; step < 3; ++step)
    losses.push_back(after->step().loss);
  return losses;
}

TEST_F(CheckpointOnDeviceTest, ResumeOnOtherDevice_HasBitsOfStraightRun) {
  RunConfig sgd = tiny_config();
  sgd.optimizer.name = OptimizerName::sgd;
  sgd.optimizer.momentum = 0.9;
  for (RunConfig config : {tiny_config(), tiny_config(Precision::float64), sgd}) {
    config.attention.backend = AttentionBackend::flex;
    EXPECT_THAT(run_ranks(1,
                          [&](Group&) {
                            const Device there = foreign_device();
                            const auto losses = [&](const Device& first, const Device& second) {
                              return losses_after(config, first, second, folder / "checkpoint.pt");
                            };
                            const std::vector<double> straight = losses({}, {});
                            require(losses({}, there) == straight, "from the CPU to the device");
                            require(losses(there, {}) == straight, "from the device to the CPU");
                            require(losses(there, there) == straight, "on the device");
                          }),
                testing::Each(""));
  }
}

using ProvenanceOnDeviceTest = RanksTest;

TEST_F(ProvenanceOnDeviceTest, Device_IsInProvenanceAndFingerprint) {
  EXPECT_THAT(run_ranks(1,
                        [](Group&) {
                          const RunConfig config = tiny_config();
                          const Json there = provenance_of(config, *trainer_on(config, foreign_device()));
                          const Json facts = {{"name", "a foreign device"},
                                              {"capability", "1.0"},
                                              {"memory_bytes", 1 << 20},
                                              {"driver", "1.0"},
                                              {"cuda", "2.0"},
                                              {"cudnn", "3.0.0"},
                                              {"nccl", "4.0.0"}};
                          require(there.at("device") == facts, there.at("device").dump());
                          require(there.at("fingerprint").at("device") == facts, "another fingerprint");
                          const Json here = provenance_of(config, *trainer_on(config, {}));
                          require(here.at("device") == "cpu" && here.at("fingerprint").at("device") == "cpu",
                                  "no CPU");
                          require(here.at("fingerprint").at("initial_weights") ==
                                      there.at("fingerprint").at("initial_weights"),
                                  "weights are drawn on the CPU, wherever they go");
                        }),
              testing::Each(""));
}

}  // namespace
}  // namespace parity::reference
