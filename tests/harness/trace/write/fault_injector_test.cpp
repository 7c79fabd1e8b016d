// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults in the capture of a Recorder: what the trainer continues with, what is recorded, what is rejected.
#include "harness/trace/write/fault_injector.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class FaultInjectorTest : public RecordedTest {
 protected:
  static Fault fault(FaultKind kind, std::vector<int64_t> steps, Phase phase = Phase::grad, double size = 0) {
    Fault made;
    made.kind = kind;
    made.steps = std::move(steps);
    made.phase = phase;
    made.name = "w";
    made.size = size;
    return made;
  }

  Recorder::Options with(std::vector<Fault> faults, int64_t append_after = 0) const {
    Recorder::Options chosen = options();
    chosen.capture.faults = std::move(faults);
    chosen.append_after = append_after;
    return chosen;
  }

  /// Two steps of a trainer whose gradient is [1, 2] at the first and [3, 4] at the second, and which leaves
  /// its local gradient a quarter of that. \return the gradients that it continued with
  std::vector<std::vector<float>> train(Recorder& recorder, int64_t first = 1, int64_t last = 2) {
    std::vector<std::vector<float>> used;
    for (int64_t step = first; step <= last; ++step) {
      const auto base = static_cast<float>(2 * step - 1);
      std::vector<float> local = {base / 4, (base + 1) / 4}, grad = {base, base + 1}, other = {7};
      recorder.begin_step(step);
      recorder.channel("loss", 1.0);
      recorder.tensor(Phase::grad_local, "w", view_of(DType::float32, local), local.data());
      recorder.tensor(Phase::grad, "w", view_of(DType::float32, grad), grad.data());
      recorder.tensor(Phase::grad, "other", view_of(DType::float32, other), other.data());
      recorder.end_step();
      EXPECT_THAT(other, ElementsAre(7.0F));
      used.push_back(grad);
    }
    return used;
  }

  std::vector<float> recorded(int64_t step) const {
    return values_of<float>(Trace::open(folder).tensor({step, Phase::grad, "w"}));
  }

  void expect_refused(const std::vector<Fault>& faults, const std::string& part) {
    EXPECT_THAT(
        [&] {
          Recorder recorder(with(faults));
          train(recorder);
          recorder.finish();
        },
        ThrowsMessage<UserError>(HasSubstr(part)));
  }
};

TEST_F(FaultInjectorTest, TheTrainerGoesOnWithTheChangeAndItIsRecorded) {
  Recorder recorder(with({fault(FaultKind::scale, {2}, Phase::grad, 0.5)}));
  EXPECT_THAT(train(recorder), ElementsAre(ElementsAre(1, 2), ElementsAre(4.5F, 6)));
  recorder.finish();
  EXPECT_THAT(recorded(1), ElementsAre(1, 2));
  EXPECT_THAT(recorded(2), ElementsAre(4.5F, 6));
}

TEST_F(FaultInjectorTest, TheTraceTellsWhatWasDone) {
  Recorder recorder(with({fault(FaultKind::scale, {1, 2}, Phase::grad, 0.5), fault(FaultKind::ulp, {2})}));
  train(recorder);
  recorder.finish();
  const std::vector<FaultReport> reports = Trace::open(folder).faults();
  ASSERT_EQ(reports.size(), 2);
  EXPECT_EQ(reports[0].fault, fault(FaultKind::scale, {1, 2}, Phase::grad, 0.5));
  EXPECT_EQ(reports[0].tensors, 2);
  EXPECT_EQ(reports[0].elements, 4);
  EXPECT_EQ(reports[0].changed, 4);
  EXPECT_EQ(reports[0].first, Json({{"step", 1}, {"phase", "grad"}, {"name", "w"}}));
  EXPECT_EQ(reports[1].changed, 1);
  EXPECT_EQ(reports[1].first.at("step"), 2);
  EXPECT_TRUE(reports[1].first.contains("element"));
}

TEST_F(FaultInjectorTest, ARunWithoutFaultsTellsOfNone) {
  Recorder recorder(options());
  train(recorder);
  recorder.finish();
  EXPECT_THAT(Trace::open(folder).faults(), IsEmpty());
}

TEST_F(FaultInjectorTest, AResumedRunTellsOfBothLegs) {
  const std::vector<Fault> faults = {fault(FaultKind::scale, {1, 2}, Phase::grad, 0.5)};
  {
    Recorder recorder(with(faults));
    train(recorder, 1, 1);
    recorder.finish();
  }
  Recorder recorder(with(faults, 1));
  train(recorder, 2, 2);
  recorder.finish();
  EXPECT_EQ(Trace::open(folder).faults().at(0).tensors, 2);
  EXPECT_EQ(Trace::open(folder).faults().at(0).first.at("step"), 1);
}

TEST_F(FaultInjectorTest, AFailedRunTellsOfItsFaults) {
  Recorder recorder(with({fault(FaultKind::scale, {1, 2}, Phase::grad, 0.5)}));
  train(recorder, 1, 1);
  recorder.failure({{"kind", "non_finite"}, {"step", 2}});
  recorder.finish();
  EXPECT_EQ(Trace::open(folder).faults().at(0).tensors, 1);
}

TEST_F(FaultInjectorTest, StaleIsTheStepBefore) {
  Recorder recorder(with({fault(FaultKind::stale, {2})}));
  EXPECT_THAT(train(recorder), ElementsAre(ElementsAre(1, 2), ElementsAre(1, 2)));
  recorder.finish();
}

TEST_F(FaultInjectorTest, StaleAtEveryStepKeepsTheFirst) {
  Recorder recorder(with({fault(FaultKind::stale, {})}));
  EXPECT_THAT(train(recorder, 1, 3), ElementsAre(ElementsAre(1, 2), ElementsAre(1, 2), ElementsAre(1, 2)));
  recorder.finish();
}

TEST_F(FaultInjectorTest, DroppedReduction_LeavesTheLocalGradient) {
  Recorder recorder(with({fault(FaultKind::dropped_reduction, {2})}));
  EXPECT_THAT(train(recorder), ElementsAre(ElementsAre(1, 2), ElementsAre(0.75F, 1)));
  recorder.finish();
}

TEST_F(FaultInjectorTest, FaultsOfOneTensorAreAppliedInTheirOrder) {
  Fault zero = fault(FaultKind::row_zeroed, {1});
  zero.row = 0;
  Recorder recorder(with({zero, fault(FaultKind::swapped_shard, {1})}));
  EXPECT_THAT(train(recorder, 1, 1), ElementsAre(ElementsAre(2, 0)));
  recorder.finish();
}

TEST_F(FaultInjectorTest, WhatIsToBeChangedOrRememberedIsWanted) {
  Recorder::Options chosen = with({fault(FaultKind::stale, {2})});
  chosen.capture.tensors.clear();
  Recorder recorder(std::move(chosen));
  recorder.begin_step(1);
  EXPECT_TRUE(recorder.wants(Phase::grad, "w"));
  EXPECT_FALSE(recorder.wants(Phase::grad, "other"));
  EXPECT_FALSE(recorder.wants(Phase::param, "w"));
}

TEST_F(FaultInjectorTest, AFaultOfAnotherRankIsNotApplied) {
  Fault second = fault(FaultKind::scale, {1}, Phase::grad, 0.5);
  second.rank = 1;
  Recorder::Options first = with({second});
  first.ranks = 2;
  Recorder recorder(std::move(first));
  EXPECT_THAT(train(recorder), ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
}

TEST_F(FaultInjectorTest, WhatCannotBeAppliedIsRefused) {
  Fault far = fault(FaultKind::ulp, {1});
  far.rank = 1;
  expect_refused({far}, "the run has 1 rank, counted from 0");
  Fault misnamed = fault(FaultKind::ulp, {2});
  misnamed.name = "othe";
  expect_refused({misnamed}, "it matches no tensor at step 2 (did you mean 'other'?)");
  misnamed.steps.clear();
  expect_refused({misnamed}, "it matches no tensor of the run");
  expect_refused({fault(FaultKind::ulp, {1}, Phase::optim)}, "offers no tensor in phase optim at step 1");
  expect_refused({fault(FaultKind::stale, {1})}, "w was not offered at step 0");
  Fault other = fault(FaultKind::dropped_reduction, {1});
  other.name = "other";
  expect_refused({other}, "offers no other in phase grad_local");
}

TEST_F(FaultInjectorTest, WhatTheTrainerOnlyShowsIsNotChanged) {
  Recorder recorder(with({fault(FaultKind::ulp, {1})}));
  const std::vector<float> values = {1, 2};
  recorder.begin_step(1);
  EXPECT_THAT([&] { recorder.tensor(Phase::grad, "w", view_of(DType::float32, values)); },
              ThrowsMessage<UserError>(HasSubstr("read-only")));
}

}  // namespace
}  // namespace parity::trace
