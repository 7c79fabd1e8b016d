// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// The optimizer's own count of a parameter's updates.
class UpdateCounterTest : public LawTest {};

TEST_F(UpdateCounterTest, OwnCounter_IsFollowed) {
  Training three;
  three.steps = 3;
  PlantedRun run = trained();
  const PlantedRun late = trained(three);
  skip_update(run, 1, "norm.weight");
  run.tensors.push_back({{1, Phase::optim, "step/norm.weight"}, std::vector<float>{0}});
  for (const std::string state : {"exp_avg/norm.weight", "exp_avg_sq/norm.weight"})
    tensor(run, 1, Phase::optim, state).assign(64, 0);
  tensor(run, 1, Phase::param, "norm.weight") = tensor(run, 0, Phase::param, "norm.weight");
  PlantedRun source = late;
  for (int64_t s = 2; s <= 4; ++s) {
    for (const std::string state : {"exp_avg/norm.weight", "exp_avg_sq/norm.weight"})
      tensor(run, s, Phase::optim, state) = tensor(source, s - 1, Phase::optim, state);
    for (const Phase phase : {Phase::grad, Phase::grad_clipped, Phase::param})
      tensor(run, s, phase, "norm.weight") = tensor(source, s - 1, phase, "norm.weight");
    run.tensors.push_back(
        {{s, Phase::optim, "step/norm.weight"}, std::vector<float>{static_cast<float>(s - 1)}});
  }
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  tensor(run, 4, Phase::optim, "step/norm.weight")[0] = 7;
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("the optimizer's step counter goes from 2 to 7"));
}

TEST_F(UpdateCounterTest, StateMadeByALateFirstGradient_BeginsAtZero) {
  PlantedRun run = trained(), early = trained();
  skip_update(run, 1, "norm.weight");
  std::erase_if(run.tensors, [](const PlantedTensor& each) {
    return each.key.step == 1 && each.key.phase == Phase::optim && each.key.name.ends_with("/norm.weight");
  });
  tensor(run, 1, Phase::param, "norm.weight") = tensor(run, 0, Phase::param, "norm.weight");
  for (int64_t s = 2; s <= 4; ++s) {
    for (const std::string state : {"exp_avg/norm.weight", "exp_avg_sq/norm.weight"})
      tensor(run, s, Phase::optim, state) = tensor(early, s - 1, Phase::optim, state);
    for (const Phase phase : {Phase::grad, Phase::grad_clipped, Phase::param})
      tensor(run, s, phase, "norm.weight") = tensor(early, s - 1, phase, "norm.weight");
    run.tensors.push_back(
        {{s, Phase::optim, "step/norm.weight"}, std::vector<float>{static_cast<float>(s - 1)}});
  }
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  scale(tensor(run, 2, Phase::optim, "exp_avg/norm.weight"), 1.5F);
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

}  // namespace
}  // namespace parity::laws
