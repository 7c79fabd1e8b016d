// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults in the capture of a run affect the training of the real trainer, from the step at which they are
// injected.
#include <gmock/gmock.h>

#include "harness/trace/read/trace.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {
using testing::HasSubstr;

class FaultsTest : public TrainedCaseTest {
 protected:
  /// Arm `wrong` is `right` with a fault. \param more  of the base config
  Json run_with(const trace::Fault& fault, const std::string& more = "") const {
    const std::string identical = "identical";
    suite::Case source = write_case(
        "c", base(more) + no_golden() + "[capture]\nsteps = [0, 2, 3]\nphases = [\"grad\", \"param\"]\n" +
                 arms("", "") + check("channel = \"loss\"", identical) +
                 check("channel = \"grad_norm\"", identical) + check("channel = \"update_norm\"", identical));
    source.arms[1].faults = {fault};
    return run_trainer(source);
  }
  static trace::Fault fault(trace::FaultKind kind, int64_t step, trace::Phase phase, double size = 0) {
    return {kind, {step}, phase, "output.weight", size, 1, {}, {}, {}};
  }
  /// Returns the first step at which the arms diverge; 0 = never.
  static int64_t first_step(const Json& item, size_t check) {
    const Json& found = item.at("checks").at(check);
    return found.at("passed").get<bool>() ? 0 : found.at("finding").at("where").at("step").get<int64_t>();
  }
  trace::Trace trace(const Json& item, size_t arm) const {
    return trace::Trace::open(folder_ / "out" / item.at("arms").at(arm).at("trace").get<std::string>());
  }
};

constexpr size_t loss = 0, grad_norm = 1, update_norm = 2;

TEST_F(FaultsTest, AGradientIsChangedBeforeTheOptimizerSeesIt) {
  const Json item = run_with(fault(trace::FaultKind::scale, 3, trace::Phase::grad, 0.01));
  EXPECT_EQ(first_step(item, grad_norm), 3) << failures(item);
  EXPECT_EQ(first_step(item, update_norm), 3) << "clipping and Adam's moments see it";
  EXPECT_EQ(first_step(item, loss), 4);
  EXPECT_THAT(item.at("notes").dump(),
              HasSubstr("wrong: defect put into it: scale by 0.01 of grad output.weight at step 3"));
}

TEST_F(FaultsTest, AParameterIsChangedAfterTheOptimizer) {
  const Json item = run_with(fault(trace::FaultKind::row_zeroed, 3, trace::Phase::param));
  EXPECT_EQ(first_step(item, grad_norm), 4) << failures(item);
  EXPECT_EQ(first_step(item, update_norm), 3);
  EXPECT_EQ(first_step(item, loss), 4);
}

TEST_F(FaultsTest, ParamFaultAtStepZero_ChangesTheFirstLoss) {
  const Json item = run_with(fault(trace::FaultKind::perturb, 0, trace::Phase::param, 0.01));
  EXPECT_EQ(first_step(item, loss), 1) << failures(item);
}

TEST_F(FaultsTest, AStaleWeightIsThatOfTheStepBefore) {
  const Json item = run_with(fault(trace::FaultKind::stale, 3, trace::Phase::param));
  const trace::Trace healthy = trace(item, 0), faulty = trace(item, 1);
  const trace::TensorKey third{3, trace::Phase::param, "output.weight"}, second{2, third.phase, third.name};
  EXPECT_EQ(faulty.find_sketch(third)->digest, healthy.find_sketch(second)->digest);
  EXPECT_NE(faulty.find_sketch(third)->digest, healthy.find_sketch(third)->digest);
  EXPECT_EQ(first_step(item, loss), 4) << failures(item);
}

TEST_F(FaultsTest, OneUlpOfOneGradientReachesTheWeights) {
  const Json item = run_with(fault(trace::FaultKind::ulp, 3, trace::Phase::grad));
  const trace::Trace healthy = trace(item, 0), faulty = trace(item, 1);
  EXPECT_EQ(faulty.faults().at(0).changed, 1);
  const trace::TensorKey grad{3, trace::Phase::grad, "output.weight"};
  EXPECT_NE(faulty.find_sketch(grad)->digest, healthy.find_sketch(grad)->digest);
  const trace::TensorKey before{2, trace::Phase::param, grad.name};
  EXPECT_EQ(faulty.find_sketch(before)->digest, healthy.find_sketch(before)->digest);
}

TEST_F(FaultsTest, ADroppedReductionIsTheRanksOwnGradient) {
  trace::Fault dropped = fault(trace::FaultKind::dropped_reduction, 2, trace::Phase::grad);
  dropped.rank = 1;
  const Json item = run_with(dropped, "parallel.dp_replicate = 2\n");
  EXPECT_THAT(failures(item), HasSubstr("replicas"));
  const trace::Trace faulty = trace(item, 1);
  ASSERT_FALSE(faulty.replica_differences().empty());
  const trace::ReplicaDifference& first = faulty.replica_differences().front();
  EXPECT_EQ(first.step, 2);
  EXPECT_EQ(first.phase, trace::Phase::grad);
  EXPECT_EQ(first.name, dropped.name);
  EXPECT_GT(faulty.faults().at(0).changed, 0);
}

TEST_F(FaultsTest, InapplicableFault_FailsRunWithReason) {
  trace::Fault misnamed = fault(trace::FaultKind::ulp, 2, trace::Phase::grad);
  misnamed.name = "outptu.weight";
  const Json item = run_with(misnamed);
  EXPECT_EQ(item.at("verdict"), "crashed");
  EXPECT_THAT(item.at("arms").at(1).at("failure").at("message").get<std::string>(),
              HasSubstr("it matches no tensor at step 2 (did you mean 'output.weight"));
  const Json alone = run_with(fault(trace::FaultKind::dropped_reduction, 2, trace::Phase::grad));
  EXPECT_THAT(alone.at("arms").at(1).at("failure").at("message").get<std::string>(),
              HasSubstr("no local gradients"));
}

}  // namespace
}  // namespace parity
