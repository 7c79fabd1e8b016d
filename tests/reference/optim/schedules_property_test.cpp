// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Every family against a closed form of its curve over random lengths and settings. The forms use the
// distance to the end, with squared cosines and powers of two, in long double. They share no expression with
// the schedules. RapidCheck prints the seed and the smallest counterexample; RC_PARAMS="seed=..." repeats it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "reference/optim/schedules/schedule.hpp"
#include "tests/reference/optim/schedule_configs.hpp"

namespace parity::reference {
namespace {

using enum ScheduleName;
using Real = long double;

Real cos2(Real x) {
  return std::cos(x) * std::cos(x);
}
Real clip(Real x) {
  return std::clamp<Real>(x, 0, 1);
}
constexpr Real half_pi = std::numbers::pi_v<Real> / 2;

struct Oracle {
  RunConfig config;

  Real warmup() const { return static_cast<Real>(config.lr.warmup_steps); }
  Real total() const { return static_cast<Real>(config.steps); }

  /// Returns the share of the distance from the lowest to the top rate if `left` of the decay remains.
  Real share(Real left) const {
    const LrConfig& lr = config.lr;
    switch (lr.decay) {
      case DecayShape::linear:
        return left;
      case DecayShape::sqrt:
        return 1 - std::sqrt(1 - left);
      case DecayShape::cosine:
        return cos2(half_pi * (1 - left));
      case DecayShape::wsd:
        switch (lr.wsd_decay) {
          case WsdDecay::linear:
            return left;
          case WsdDecay::cosine:
            return cos2(half_pi * (1 - left));
          case WsdDecay::exponential:
            return std::exp2(left) - 1;
          case WsdDecay::minus_sqrt:
            return 1 - std::sqrt(1 - left);
        }
        [[fallthrough]];
      default:
        return 1;
    }
  }
  Real above(Real lowest, Real share) const { return lowest + (1 - lowest) * share; }

  Real titan_factor(int64_t c) const {
    const int64_t warmup = std::min(config.lr.warmup_steps, config.steps);
    if (c < warmup)
      return static_cast<Real>(c + 1) / static_cast<Real>(warmup);
    int64_t decay = config.steps - warmup;
    if (config.lr.decay_ratio >= 0)  // nearbyint rounds halves to even
      decay = std::min(decay, static_cast<int64_t>(
                                  std::nearbyint(static_cast<double>(config.steps) * config.lr.decay_ratio)));
    if (decay == 0)
      return 1;
    return above(config.lr.min_factor,
                 share(clip((total() - static_cast<Real>(c)) / static_cast<Real>(decay))));
  }

  Real waving_factor(int64_t c, Real lowest) const {
    const Real p = (static_cast<Real>(c) - warmup()) / std::max<Real>(1, total() - warmup());
    return above(lowest, cos2(2 * half_pi * config.lr.num_cycles * p));
  }

  Real megatron_factor(int64_t c) const {
    const auto n = static_cast<Real>(c);
    const Real lowest = config.lr.min_factor;
    if (warmup() > 0 && n <= warmup())
      return above(config.lr.init_factor, n / warmup());
    if (config.lr.decay == DecayShape::constant)
      return 1;
    if (n > total())
      return lowest;
    if (config.lr.decay == DecayShape::inverse_square_root) {  // its 1 is a sample, not an update
      const Real sample = 1 / static_cast<Real>(config.data.global_batch);
      return std::max(lowest, std::sqrt(std::max(warmup(), sample) / std::max(n, sample)));
    }
    const Real length =
        config.lr.decay == DecayShape::wsd ? static_cast<Real>(config.lr.wsd_steps) : total() - warmup();
    return above(lowest, share(clip((total() - n) / length)));
  }

  Real deepspeed_factor(int64_t c) const {
    const auto n = static_cast<Real>(c);
    const Real length = std::max<Real>(2, warmup()), lowest = config.lr.min_factor;
    const bool cosine = config.lr.decay == DecayShape::cosine;
    if (c == 0)
      return cosine ? 0 : lowest;
    if (n <= length) {
      const Real rise =
          config.lr.warmup == WarmupShape::log ? std::log2(n) / std::log2(length) : (n - 1) / length;
      return above(cosine ? config.lr.init_factor : lowest, rise);
    }
    const Real behind = cosine ? 0 : 1;  // the cosine compensates for the engine's step
    const Real left = (total() - n + behind) / std::max<Real>(1, total() - length);
    return above(lowest, config.lr.decay == DecayShape::constant ? 1 : share(clip(left)));
  }

  Real factor(int64_t c) const {
    const LrConfig& lr = config.lr;
    const bool warming = c < lr.warmup_steps;
    const Real rise = static_cast<Real>(c) / std::max<Real>(1, warmup());
    switch (lr.schedule) {
      case titan:
        return titan_factor(c);
      case warmup_linear:
        return warming ? (static_cast<Real>(c + lr.first_index)) / warmup() : 1;
      case hugging_face_linear:
        return warming ? rise
                       : clip((total() - static_cast<Real>(c)) / std::max<Real>(1, total() - warmup()));
      case hugging_face_cosine:
        return warming ? rise : waving_factor(c, 0);
      case verl_cosine:
        return warming ? above(lr.init_factor, rise) : waving_factor(c, lr.min_factor);
      case verl_constant:
        return warming ? rise : 1;
      case megatron:
        return megatron_factor(c);
      case deepspeed:
        return deepspeed_factor(c);
    }
    return std::numeric_limits<Real>::quiet_NaN();
  }

  /// A handful of roundings of numbers up to 1, the argument of a cosine among them: up to 2 pi cycles, and
  /// near the ends of sqrt and of cos^2 the roots of roundings do not enter, since counts are exact.
  double tolerance() const {
    return config.lr.base * std::numeric_limits<double>::epsilon() * (4 + 16 * config.lr.num_cycles);
  }
};

/// A config that validate() accepts, of the family.
RunConfig random_config(ScheduleName name) {
  const auto share = [] { return *rc::gen::inRange(0, 101) / 100.0; };
  const int64_t steps = *rc::gen::inRange(1, 80);
  const bool below_length = name == megatron;
  RunConfig config = family(
      name, *rc::gen::inRange(name == deepspeed ? 1 : 0, below_length ? static_cast<int>(steps) : 90), steps);
  LrConfig& lr = config.lr;
  lr.base = *rc::gen::inRange(1, 1000) * 1e-5;
  config.data.global_batch = *rc::gen::inRange(1, 20);
  if (name == titan)
    lr.decay = *rc::gen::element(DecayShape::linear, DecayShape::sqrt, DecayShape::cosine);
  if (name == titan && *rc::gen::arbitrary<bool>())
    lr.decay_ratio = share();
  if (name == titan || name == verl_cosine || name == megatron || name == deepspeed)
    lr.min_factor = share();
  if (name == verl_cosine || name == megatron)
    lr.init_factor = share();
  if (name == hugging_face_cosine || name == verl_cosine)
    lr.num_cycles = *rc::gen::inRange(1, 8) / 4.0;
  if (name == warmup_linear)
    lr.first_index = *rc::gen::inRange(0, 2);
  if (name == deepspeed) {
    lr.warmup = *rc::gen::element(WarmupShape::linear, WarmupShape::log);
    lr.decay = *rc::gen::element(DecayShape::linear, DecayShape::constant, DecayShape::cosine);
    lr.init_factor = lr.decay == DecayShape::cosine ? share() : 0;
  }
  if (name == megatron) {
    lr.decay = *rc::gen::element(DecayShape::linear, DecayShape::cosine, DecayShape::constant,
                                 DecayShape::inverse_square_root, DecayShape::wsd);
    lr.wsd_steps = lr.decay == DecayShape::wsd ? *rc::gen::inRange<int64_t>(1, steps + 1) : 0;
    lr.wsd_decay =
        *rc::gen::element(WsdDecay::linear, WsdDecay::cosine, WsdDecay::exponential, WsdDecay::minus_sqrt);
  }
  return config;
}

/// Largest distance of lr(c + ahead) from the closed form at c over the run.
double gap(const RunConfig& config, int64_t ahead = 0) {
  const Schedule schedule = make_schedule(config);
  const Oracle oracle{config};
  double worst = 0;
  for (int64_t c = 0; c <= config.steps; ++c)
    worst = std::max(
        worst, std::abs(static_cast<double>(schedule.lr(c + ahead) - config.lr.base * oracle.factor(c))));
  return worst;
}

class EveryFamily : public testing::TestWithParam<ScheduleName> {};

TEST_P(EveryFamily, FollowsItsClosedForm) {
  EXPECT_TRUE(rc::check([&] {
    const RunConfig config = random_config(GetParam());
    const double found = gap(config), allowed = Oracle{config}.tolerance();
    RC_LOG() << "W " << config.lr.warmup_steps << " T " << config.steps << " gap " << found << " allowed "
             << allowed;
    RC_ASSERT(found <= allowed);
  }));
}

TEST_P(EveryFamily, IsNotTheClosedFormOneUpdateLater) {
  EXPECT_TRUE(rc::check([&] {
    RunConfig config = random_config(GetParam());
    config.lr.warmup_steps = *rc::gen::inRange(3, 20);  // a rise in which a shift must show
    config.steps = config.lr.warmup_steps + 5;
    config.lr.init_factor = 0;
    config.lr.min_factor = 0;
    config.lr.wsd_steps = std::min<int64_t>(config.lr.wsd_steps, 5);
    RC_ASSERT(gap(config, 1) > 1e3 * Oracle{config}.tolerance());
  }));
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily,
                         testing::Values(titan, warmup_linear, hugging_face_linear, hugging_face_cosine,
                                         verl_cosine, verl_constant, megatron, deepspeed),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

/// The curves of two families from the same numbers.
struct Pair {
  Schedule a, b;
  int64_t warmup, steps;
  double base;
};

Pair random_pair(ScheduleName a, ScheduleName b, DecayShape decay) {
  const int64_t steps = *rc::gen::inRange(4, 80);
  const int64_t warmup = *rc::gen::inRange<int64_t>(2, steps);
  const auto make = [&](ScheduleName name) {
    const bool chooses = name == titan || name == megatron || name == deepspeed;
    return make_schedule(family(name, warmup, steps, {.decay = chooses ? decay : DecayShape::linear}));
  };
  return {make(a), make(b), warmup, steps, LrConfig{}.base};
}

TEST(SchedulePairTest, Titan_LeadsZeroIndexedByOneInWarmupOnly) {
  const auto holds = [](ScheduleName other, DecayShape decay) {
    return rc::check([&] {
      const Pair pair = random_pair(titan, other, decay);
      for (int64_t c = 0; c < pair.warmup - 1; ++c)
        RC_ASSERT(std::abs(pair.a.lr(c) - pair.b.lr(c + 1)) <= 1e-15 * pair.base);
      for (int64_t c = pair.warmup; c <= pair.steps; ++c)
        RC_ASSERT(std::abs(pair.a.lr(c) - pair.b.lr(c)) <= 1e-15 * pair.base);
    });
  };
  EXPECT_TRUE(holds(hugging_face_linear, DecayShape::linear));
  EXPECT_TRUE(holds(megatron, DecayShape::linear));
  EXPECT_TRUE(holds(hugging_face_cosine, DecayShape::cosine));
  EXPECT_TRUE(holds(verl_cosine, DecayShape::cosine));
  EXPECT_TRUE(holds(megatron, DecayShape::cosine));
}

TEST(SchedulePairTest, LinearDecays_PowerOfTwoLength_AreBitwiseEqual) {
  EXPECT_TRUE(rc::check([] {
    const int64_t warmup = *rc::gen::inRange(0, 40),
                  steps = warmup + (int64_t{1} << *rc::gen::inRange(0, 10));
    const Schedule ours = make_schedule(family(titan, warmup, steps));
    const Schedule theirs = make_schedule(family(hugging_face_linear, warmup, steps));
    const Schedule samples = make_schedule(family(megatron, warmup, steps));
    for (int64_t c = warmup; c <= steps; ++c)
      RC_ASSERT(ours.lr(c) == theirs.lr(c));
    for (int64_t c = warmup + 1; c <= steps; ++c)  // at W Megatron is still warming up: max W / W rounds
      RC_ASSERT(ours.lr(c) == samples.lr(c));
  }));
  // Elsewhere 1 - p and (T - c) / (T - W) round differently: 1 - 0.7 is not 0.3.
  const Schedule ours = make_schedule(family(titan, 2, 12));
  const Schedule theirs = make_schedule(family(hugging_face_linear, 2, 12));
  EXPECT_NE(ours.lr(9), theirs.lr(9));
  EXPECT_NEAR(ours.lr(9), theirs.lr(9), 1e-15 * LrConfig{}.base);
}

TEST(SchedulePairTest, DeepSpeedIsHuggingFaceOneUpdateLaterBitForBit) {
  EXPECT_TRUE(rc::check([] {
    const Pair pair = random_pair(hugging_face_linear, deepspeed, DecayShape::linear);
    RC_ASSERT(pair.b.lr(0) == 0.0);
    for (int64_t c = 0; c <= pair.steps; ++c)
      RC_ASSERT(pair.b.lr(c + 1) == pair.a.lr(c));
  }));
}

TEST(SchedulePairTest, DeepSpeedCosine_EqualsOthersAfterWarmup) {
  EXPECT_TRUE(rc::check([] {
    const Pair pair = random_pair(hugging_face_cosine, deepspeed, DecayShape::cosine);
    for (int64_t c = 1; c <= pair.warmup; ++c)
      RC_ASSERT(pair.b.lr(c) == pair.a.lr(c - 1));
    for (int64_t c = pair.warmup + 1; c <= pair.steps; ++c)
      RC_ASSERT(pair.b.lr(c) == pair.a.lr(c));
  }));
}

TEST(SchedulePairTest, HuggingFaceAndVerlCosineAreTheSameBits) {
  EXPECT_TRUE(rc::check([] {
    const Pair pair = random_pair(hugging_face_cosine, verl_cosine, DecayShape::linear);
    for (int64_t c = 0; c <= pair.steps; ++c)
      RC_ASSERT(pair.b.lr(c) == pair.a.lr(c));
  }));
}

}  // namespace
}  // namespace parity::reference
