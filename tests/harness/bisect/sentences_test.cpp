// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sentences.hpp"

#include <fmt/format.h>

#include "harness/bisect/options/wording.hpp"
#include "harness/bisect/runs/local_faults.hpp"
#include "harness/bisect/traces/first_bad_operator.hpp"

namespace parity::bisect {
namespace {

TEST(BisectSentencesTest, Operators) {
  FirstBadOperator found;
  found.module = "optimizer";
  found.op = "aten::_fused_adamw_";
  found.slot = "lr";
  EXPECT_EQ(found.text(), "aten::_fused_adamw_ of optimizer gives a different result from the same inputs");
  found.kind = FirstBadOperator::Kind::reads;
  EXPECT_EQ(found.text(),
            "aten::_fused_adamw_ of optimizer receives a different lr, which no earlier operator computed");
  found.numbers = "0.0004 against 0";
  EXPECT_EQ(found.text(), "aten::_fused_adamw_ of optimizer receives a different lr: 0.0004 against 0");
  found.kind = FirstBadOperator::Kind::written;
  EXPECT_EQ(found.text(), "no operator computes it differently: it was changed after it was computed");
  found.kind = FirstBadOperator::Kind::others;
  found.other_op = "aten::addmm";
  EXPECT_EQ(found.text(),
            "the sides run different operators from here: aten::_fused_adamw_ of optimizer against "
            "aten::addmm");
}

TEST(BisectSentencesTest, DecisionOfAnExactTwin) {
  FirstBadOperator found;
  found.module = "layers.0.router";
  found.op = "aten::topk";
  found.decides = true;
  EXPECT_EQ(found.text(),
            "aten::topk of layers.0.router decides otherwise about numbers with equal residues, because "
            "their values "
            "round differently");
}

TEST(BisectSentencesTest, LocalFaults) {
  TensorStation station;
  station.key = {1, trace::Phase::forward, "layers.0.attention"};
  station.relative = 2e-3;
  LocalFaults faults;
  faults.tensors = 182;
  EXPECT_EQ(faults.describe("good"),
            "with the values of good after each tensor, none of the 182 tensors differs");
  faults.own = {station};
  EXPECT_EQ(faults.describe("good"),
            "with the values of good after each tensor, no local error of the 182 tensors exceeds 2.0e-03, "
            "which another order of sums explains");
  faults.loud = {station};
  faults.inherited = 120;
  EXPECT_EQ(faults.describe("good"),
            "with the values of good after each tensor, 1 of 182 tensors has a local error: forward "
            "layers.0.attention (2.0e-03); 120 inherit the difference");
}

/// A search among opt.a, opt.b, ... that found `sets`, each at step 1.
OptionFindings found_options(const std::vector<Toggles>& sets) {
  OptionFindings found;
  for (const char name : {'a', 'b', 'c'}) {
    OptionToggle toggle;
    toggle.key = fmt::format("opt.{}", name);
    toggle.bad = 1;
    found.toggles.push_back(toggle);
  }
  found.channels = {"loss"};
  found.steps = 10;
  for (const Toggles& on : sets) {
    OptionRound round;
    round.cause.on = on;
    round.cause.gap.channel = "loss";
    round.cause.gap.channels = {"loss"};
    round.cause.gap.step = 1;
    round.cause.gap.size = 0.5;
    found.rounds.push_back(round);
  }
  return found;
}

TEST(BisectSentencesTest, Options) {
  EXPECT_EQ(option_sentence(found_options({{1}})),
            "opt.b = 1 alone causes the difference (loss first differs at step 1, relative gap 0.5)");
  EXPECT_EQ(option_sentence(found_options({{0, 1}})),
            "opt.a = 1 and opt.b = 1 cause the difference only together (loss first differs at step 1, "
            "relative gap 0.5)");
  EXPECT_EQ(option_sentence(found_options({{0}, {2}})),
            "2 causes: opt.a = 1 (loss first differs at step 1, relative gap 0.5); opt.c = 1 (loss first "
            "differs at step 1, relative gap 0.5)");
  OptionFindings hidden = found_options({{0}, {2}});
  hidden.rounds[1].hidden = true;
  EXPECT_EQ(option_sentence(hidden),
            "opt.a = 1 alone causes the difference (loss first differs at step 1, relative gap 0.5); masked "
            "by that: opt.c = 1 (loss first differs at step 1, relative gap 0.5)");
  OptionFindings needing = found_options({{0}});
  needing.rounds[0].cause.needs = {1};
  EXPECT_EQ(option_sentence(needing),
            "opt.a = 1 (needs opt.b = 1) alone causes the difference (loss first differs at step 1, relative "
            "gap 0.5)");
  OptionFindings none = found_options({});
  none.ending = OptionFindings::Ending::no_difference;
  EXPECT_EQ(option_sentence(none),
            "the sides do not differ: 3 config keys differ, but loss has the same bits over 10 steps");
  none.ending = OptionFindings::Ending::one_config;
  EXPECT_EQ(option_sentence(none), "the sides do not differ: their configs are equal");
  none.ending = OptionFindings::Ending::flaky;
  none.noise = needing.rounds[0].cause.gap;
  EXPECT_EQ(option_sentence(none),
            "FLAKY: repeats of the good side differ (loss at step 1, relative gap 0.5) as much as the two "
            "sides do; no cause can be named");
}

}  // namespace
}  // namespace parity::bisect
