// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

std::filesystem::path checkpoint() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(testing::TempDir()) / (std::string(info->name()) + ".pt");
}

/// Losses of updates 4 to 6 of a run that was stopped after 3 and resumed in a new trainer.
std::vector<double> resumed_losses(const RunConfig& config, const std::vector<CheckpointPart>& exclude) {
  Trainer first(config);
  for (int step = 0; step < 3; ++step)
    first.step();
  first.save(checkpoint());
  RunConfig other_weights = config;
  other_weights.seed = 99;  // everything must come from the file
  Trainer second(other_weights);
  second.load(checkpoint(), exclude);
  EXPECT_EQ(second.updates_done(), 3);
  std::vector<double> losses;
  for (int step = 0; step < 3; ++step)
    losses.push_back(second.step().loss);
  return losses;
}

std::vector<double> straight_losses(const RunConfig& config) {
  Trainer trainer(config);
  std::vector<double> losses;
  for (int step = 0; step < 6; ++step)
    losses.push_back(trainer.step().loss);
  return {losses.begin() + 3, losses.end()};
}

TEST(CheckpointTest, AResumedRunHasTheBitsOfTheStraightOne) {
  RunConfig sgd = tiny_config();
  sgd.optimizer.name = OptimizerName::sgd;
  sgd.optimizer.momentum = 0.9;
  RunConfig ramp = tiny_config();
  ramp.lr.schedule = ScheduleName::megatron;
  ramp.optimizer.weight_decay_ramp = WeightDecayRamp::cosine;
  RunConfig late = tiny_config();
  late.lr.schedule = ScheduleName::deepspeed;
  RunConfig muon = tiny_config();
  muon.optimizer.name = OptimizerName::muon;
  muon.optimizer.muon.lr = 0.02;
  RunConfig lion = tiny_config();
  lion.optimizer.name = OptimizerName::lion;
  lion.optimizer.decay = DecayedParameters::matrices;
  RunConfig adafactor = tiny_config();
  adafactor.optimizer.name = OptimizerName::adafactor;
  for (const RunConfig& config :
       {tiny_config(), tiny_config(Precision::float64), sgd, ramp, late, muon, lion, adafactor})
    EXPECT_THAT(resumed_losses(config, {}), testing::ElementsAreArray(straight_losses(config)));
}

class ForgottenPart : public testing::TestWithParam<CheckpointPart> {};

TEST_P(ForgottenPart, ChangesTheRun) {
  const std::vector<double> resumed = resumed_losses(tiny_config(), {GetParam()});
  const std::vector<double> straight = straight_losses(tiny_config());
  EXPECT_NE(resumed.back(), straight.back());
  // Update 4 begins with the saved parameters; only other data make its loss differ.
  EXPECT_EQ(resumed.front() == straight.front(), GetParam() != CheckpointPart::data);
}

INSTANTIATE_TEST_SUITE_P(EachPart, ForgottenPart,
                         testing::Values(CheckpointPart::optimizer, CheckpointPart::optimizer_step,
                                         CheckpointPart::schedule, CheckpointPart::data),
                         [](const auto& instance) {
                           std::string name(name_of(instance.param));
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

/// Returns a config that blends two token files, of sequences of one token each.
RunConfig blended_config() {
  RunConfig config = tiny_config();
  config.data.source = DataSource::tokens;
  config.data.weights = {3, 1};
  config.data.shuffle = true;
  for (int file = 0; file < 2; ++file) {
    std::string text;
    for (int row = 0; row < 5 + file; ++row) {
      text += "[[rows]]\ntokens = [";
      for (int64_t i = 0; i < config.data.seq_len; ++i)
        text += std::to_string(1 + (row + file * 3 + i) % 7) + ", ";
      text += "]\n";
    }
    config.data.paths.push_back(checkpoint().replace_extension(std::to_string(file)).string());
    write_file(config.data.paths.back(), text);
  }
  return config;
}

TEST(CheckpointTest, BlendResumesWithTheStraightBits) {
  const RunConfig config = blended_config();
  EXPECT_THAT(resumed_losses(config, {}), testing::ElementsAreArray(straight_losses(config)));
  EXPECT_NE(resumed_losses(config, {CheckpointPart::data}).front(), straight_losses(config).front());
}

TEST(CheckpointTest, StateWithoutAPlaceIsRefused) {
  RunConfig master = tiny_config();
  master.optimizer.weights = WeightStorage::master;
  Trainer first(master);
  first.step();
  first.save(checkpoint());
  EXPECT_THAT([] { Trainer(tiny_config()).load(checkpoint(), {}); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("it holds optimizer/master/")));
  EXPECT_NO_THROW(Trainer(tiny_config()).load(checkpoint(), {CheckpointPart::optimizer}));
}

TEST(CheckpointTest, Float32Parameters_AreRoundedWithAWarning) {
  Trainer wide(tiny_config());
  wide.step();
  wide.save(checkpoint());
  RunConfig narrow = tiny_config();
  narrow.optimizer.weights = WeightStorage::bfloat16;
  Trainer resumed(narrow);
  resumed.load(checkpoint(), {});
  for (const Parameter& parameter : resumed.parameters())
    EXPECT_TRUE(torch::equal(parameter.value, parameter.value.to(torch::kBFloat16).to(torch::kFloat32)))
        << parameter.name;
  ASSERT_FALSE(resumed.warnings().empty());
  EXPECT_THAT(resumed.warnings().back(),
              testing::HasSubstr("were rounded to bfloat16 (optimizer.weights = bfloat16)"));
  resumed.step();
  resumed.save(checkpoint());
  Trainer again(narrow);
  again.load(checkpoint(), {});
  EXPECT_THAT(again.warnings(), testing::Each(testing::Not(testing::HasSubstr("rounded"))));
}

TEST(CheckpointTest, OtherDataAreRefused) {
  const RunConfig config = blended_config();
  Trainer first(config);
  first.step();
  first.save(checkpoint());
  const auto complaint = [](const RunConfig& other) -> std::string {
    try {
      Trainer(other).load(checkpoint(), {});
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  RunConfig weights = config, seed = config, order = config, single = config;
  weights.data.weights = {1, 1};
  seed.data.seed = 7;
  std::swap(order.data.paths[0], order.data.paths[1]);
  single.data.paths = {config.data.paths[1]};
  single.data.weights = {1};
  EXPECT_EQ(complaint(config), "");
  EXPECT_THAT(complaint(weights), testing::HasSubstr("it had read "));
  EXPECT_THAT(complaint(single), testing::HasSubstr("it had read "));
  EXPECT_THAT(complaint(seed), testing::HasSubstr("the next one, is another than it was"));
  EXPECT_THAT(complaint(order), testing::HasSubstr("the next one, is another than it was"));
  EXPECT_NO_THROW(Trainer(weights).load(checkpoint(), {CheckpointPart::data}));
  EXPECT_THAT(complaint(tiny_config()), testing::HasSubstr("it has the state of files"));
  Trainer(tiny_config()).save(checkpoint());
  EXPECT_THAT(complaint(config), testing::HasSubstr("it has no state of files"));
}

TEST(CheckpointTest, RefusesAMissingACutAndAForeignFile) {
  Trainer trainer(tiny_config());
  try {
    trainer.load("/no/such/checkpoint.pt", {});
    FAIL() << "loaded a file that is not there";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
  }
  trainer.save(checkpoint());
  const std::string whole = read_file(checkpoint());
  write_file(checkpoint(), whole.substr(0, whole.size() / 2));
  EXPECT_THROW(trainer.load(checkpoint(), {}), UserError);

  ASSERT_LT(whole.find("archive/data/0"), 64U);  // whose values follow from byte 64 on
  std::string flipped = whole;
  flipped[64] = static_cast<char>(flipped[64] ^ 1);  // LibTorch would load this bit
  write_file(checkpoint(), flipped);
  EXPECT_THROW(trainer.load(checkpoint(), {}), UserError);

  RunConfig wider = tiny_config();
  wider.architecture.ffn_hidden = 32;
  Trainer(wider).save(checkpoint());
  EXPECT_THROW(trainer.load(checkpoint(), {}), UserError);
  RunConfig sgd = tiny_config();
  sgd.optimizer.name = OptimizerName::sgd;
  Trainer(sgd).save(checkpoint());
  EXPECT_THROW(trainer.load(checkpoint(), {}), UserError);
  EXPECT_THROW(Trainer(tiny_config(Precision::float64)).load(checkpoint(), {}), UserError);
}

}  // namespace
}  // namespace parity::reference
