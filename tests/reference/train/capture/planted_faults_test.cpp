// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults that a capture plants into an exact twin: an element whose bits change gets another residue.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/exact/exact.hpp"
#include "reference/train/capture/capture.hpp"
#include "reference/train/numerics/exact_twin.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;
using trace::FaultKind;
using trace::Phase;

class PlantedFaultsTest : public RanksTest {
 protected:
  /// Returns the residues of all weights after two updates, of which the first has the faults.
  torch::Tensor trained_with(Group& world, const RunConfig& config, const std::vector<trace::Fault>& faults) {
    trace::Capture capture;
    capture.faults = faults;
    capture.operators = operators_;
    trace::Recorder::Options options{folder / ("trace" + std::to_string(++runs_) + ".h5"), {}, {}, capture};
    options.rank = world.rank();
    options.ranks = world.size();
    options.faults_by_disturb = true;
    begin_exact_twin(config, 1);
    Trainer trainer(config, held(world));
    trace::Recorder recorder(options);
    StepCapture steps(trainer, recorder);
    steps.initial_state();
    for (int64_t step = 1; step <= 2; ++step) {
      steps.begin_step(step);
      steps.end_step(trainer.step());
    }
    std::vector<torch::Tensor> residues;
    for (const Parameter& each : trainer.parameters())
      residues.push_back(exact::residues_of(each.value.detach()).flatten());
    return torch::cat(residues);
  }
  std::vector<std::string> followed(const RunConfig& config, const trace::Fault& planted) {
    return run_ranks(config.parallel.ranks(), [&](Group& world) {
      const torch::Tensor right = trained_with(world, config, {}),
                          wrong = trained_with(world, config, {planted});
      require(right.equal(trained_with(world, config, {})), "a run without faults does not repeat");
      require(!right.equal(wrong), "not followed: " + planted.text());
      world.barrier();
    });
  }
  static trace::Fault fault(FaultKind kind, Phase phase, const std::string& name) {
    trace::Fault result;
    result.kind = kind;
    result.steps = {1};
    result.phase = phase;
    result.name = name;
    return result;
  }

  std::vector<trace::CaptureRule> operators_;

 private:
  int64_t runs_ = 0;
};

TEST_F(PlantedFaultsTest, OneUlp_OfEachPhase_IsFollowed) {
  const std::string weight = "layers.1.feed_forward.w2.weight";
  for (const auto& [phase, name] : {std::pair<Phase, std::string>{Phase::forward, "layers.0"},
                                    {Phase::backward, "layers.1"},
                                    {Phase::grad, weight},
                                    {Phase::grad_clipped, weight},
                                    {Phase::optim, "exp_avg_sq/" + weight},
                                    {Phase::param, weight}})
    EXPECT_THAT(followed(tiny_config(), fault(FaultKind::ulp, phase, name)), Each("")) << name_of(phase);
}

TEST_F(PlantedFaultsTest, OneUlp_OfAShard_IsFollowed) {
  RunConfig config = tiny_config();
  config.data.global_batch = 4;
  config.parallel.dp_shard = 2;
  EXPECT_THAT(followed(config, fault(FaultKind::ulp, Phase::grad, "layers.0.attention.wq.weight")), Each(""));
}

TEST_F(PlantedFaultsTest, Rounding_IsFollowed) {
  EXPECT_THAT(followed(tiny_config(), fault(FaultKind::bf16, Phase::grad, "layers.*")), Each(""));
}

TEST_F(PlantedFaultsTest, FaultOfAnOperator_IsRefused) {
  operators_.push_back({{1}, {}, {}});
  const auto complaints = run_ranks(1, [&](Group& world) {
    trained_with(world, tiny_config(), {fault(FaultKind::ulp, Phase::forward, "*@*")});
  });
  EXPECT_THAT(complaints, Each(HasSubstr("cannot plant a fault in ")));
}

}  // namespace
}  // namespace parity::reference
