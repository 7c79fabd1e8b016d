// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The schedules against PyTorch's LambdaLR and stepped counts in Python, without a tolerance: same operations
// in the same order, same bits. Set PARITY_TEST_SEED to repeat a run with other configs.
#include <cstdlib>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "reference/config/keys.hpp"
#include "reference/config/validate.hpp"
#include "reference/optim/schedules/schedule.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

constexpr int configs = 400;

class ScheduleWitnessTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }
  /// What the Python program reports about each config.
  Json witnessed(const std::vector<RunConfig>& list) const {
    Json asked = Json::array();
    for (const RunConfig& config : list) {
      Json flat = {{"updates", config.steps + 3}};
      for (const Key& key : keys())
        flat[key.name] = key.get(config);
      asked.push_back(flat);
    }
    write_file(folder / "configs.json", asked.dump());
    const CommandResult result = run_shell(
        "(" + places::python + " " + places::source + "/tests/support/pytorch/pytorch_schedules.py < " +
        (folder / "configs.json").string() + " > " + (folder / "rates.json").string() + ")");
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(read_file(folder / "rates.json"));
  }
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  double real(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  template <class T>
  T choice() {
    return static_cast<T>(between(0, static_cast<int64_t>(EnumNames<T>::names.size()) - 1));
  }

  /// Any setting of any family; most cannot run and are discarded.
  RunConfig config() {
    RunConfig c;
    c.steps = between(1, 60);
    c.data.global_batch = between(1, 12);
    c.data.micro_batches = 1;
    LrConfig& lr = c.lr;
    lr.base = real(1e-5, 1);
    lr.schedule = choice<ScheduleName>();
    lr.warmup_steps = between(0, 30);
    lr.total_steps = rarely() ? between(0, 90) : 0;
    lr.decay = rarely() ? choice<DecayShape>() : DecayShape::linear;
    lr.decay_ratio = rarely() ? real(0, 1) : -1;
    lr.min_factor = rarely() ? real(0, 1) : 0;
    lr.init_factor = rarely() ? real(0, 1) : 0;
    lr.num_cycles = rarely() ? real(0.1, 3) : 0.5;
    lr.wsd_steps = lr.decay == DecayShape::wsd ? between(1, 20) : 0;
    lr.wsd_decay = lr.decay == DecayShape::wsd ? choice<WsdDecay>() : WsdDecay::linear;
    lr.warmup = rarely() ? choice<WarmupShape>() : WarmupShape::linear;
    lr.first_index = rarely() ? 0 : 1;
    c.optimizer.weight_decay_ramp = rarely() ? choice<WeightDecayRamp>() : WeightDecayRamp::constant;
    c.optimizer.weight_decay_start =
        c.optimizer.weight_decay_ramp == WeightDecayRamp::constant ? 0 : real(0, c.optimizer.weight_decay);
    return c;
  }

 private:
  bool rarely() { return between(0, 3) == 0; }

  std::mt19937_64 engine_;
};

bool can_run(const RunConfig& config) {
  try {
    validate(config);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

TEST_F(ScheduleWitnessTest, EachFamily_HasTheBitsOfItsPythonArithmetic) {
  const char* given = std::getenv("PARITY_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::stoull(given) : 4;
  std::cout << "PARITY_TEST_SEED=" << seed << '\n';
  Random random(seed);
  std::vector<RunConfig> list;
  std::map<ScheduleName, int> seen;
  while (list.size() < configs)
    if (const RunConfig config = random.config(); can_run(config)) {
      ++seen[config.lr.schedule];
      list.push_back(config);
    }
  EXPECT_EQ(seen.size(), EnumNames<ScheduleName>::names.size());
  const Json rates = witnessed(list);
  for (size_t i = 0; i < list.size(); ++i) {
    const Schedule schedule = make_schedule(list[i]);
    for (int64_t c = 0; c < list[i].steps + 3; ++c) {
      const auto at = static_cast<size_t>(c);
      EXPECT_EQ(schedule.lr(c), rates[i]["lr"][at].get<double>())
          << name_of(list[i].lr.schedule) << " " << name_of(list[i].lr.decay) << " W "
          << list[i].lr.warmup_steps << " T " << list[i].steps << " update index " << c;
      const double weight_decay =
          schedule.weight_decay ? schedule.weight_decay(c) : list[i].optimizer.weight_decay;
      EXPECT_EQ(weight_decay, rates[i]["weight_decay"][at].get<double>()) << "update index " << c;
    }
  }
}

}  // namespace
}  // namespace parity::reference
