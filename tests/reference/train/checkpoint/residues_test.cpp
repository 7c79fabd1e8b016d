// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Exact twins that resume: from their own checkpoint, whose residues go on, and from a checkpoint of values.
#include "reference/train/checkpoint/residues.hpp"

#include <map>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/exact/exact.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/numerics/exact_twin.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class CheckpointResiduesTest : public RanksTest {
 protected:
  using Residues = std::map<std::string, torch::Tensor>;

  static RunConfig config() {
    RunConfig config = tiny_config();
    config.data.global_batch = 4;
    config.clip.max_norm = 0.01;  // acts
    return config;
  }
  static RunConfig shards() {
    RunConfig other = config();
    other.parallel.dp_shard = 2;
    return other;
  }

  /// Returns the whole residues of every parameter and moment.
  static Residues residues_of(const Trainer& trainer) {
    Residues result;
    for (const Parameter& each : trainer.parameters())
      result[each.name] =
          logical_tensor(exact::residues_of(each.value.detach()), each.layout, trainer.world());
    for (const Optimizer::State& state : trainer.optimizer().state())
      if (state.value.dim() > 0)
        result[state.name] = logical_tensor(exact::residues_of(state.value), state.layout, trainer.world());
    return result;
  }
  static void require_equal(const Residues& a, const Residues& b) {
    require(!a.empty() && a.size() == b.size(), "tensors are missing");
    for (const auto& [name, residues] : a)
      require(residues.min().item<int64_t>() >= 0, "no residue: " + name);
    for (const auto& [name, residues] : a)
      require(torch::equal(residues, b.at(name)), "another function: " + name);
  }
  static Residues after_updates(Trainer& trainer, int64_t updates) {
    for (int64_t i = 0; i < updates; ++i)
      trainer.step();
    return residues_of(trainer);
  }
  static Residues resumed(const RunConfig& config, std::shared_ptr<Group> ranks,
                          const std::filesystem::path& file,
                          const std::vector<CheckpointPart>& exclude = {}) {
    RunConfig other = config;
    other.seed = 99;  // everything must come from the file
    Trainer trainer(other, std::move(ranks));
    trainer.load(file, exclude);
    return after_updates(trainer, 1);
  }
  static std::shared_ptr<Group> alone(Group& world) {
    return world.subgroup("alone" + std::to_string(world.rank()), {world.rank()});
  }
  std::filesystem::path own(const Group& world) const {
    return folder / ("checkpoint" + std::to_string(world.rank()) + ".pt");
  }
};

TEST_F(CheckpointResiduesTest, Restart_IsPartOfTheProof) {
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          begin_exact_twin(config(), 1);
                          Trainer straight(config(), alone(world));
                          after_updates(straight, 1);
                          straight.save(own(world));
                          const Residues expected = after_updates(straight, 1);
                          require_equal(expected, resumed(config(), alone(world), own(world)));
                          require_equal(expected, resumed(shards(), held(world), own(world)));
                          world.barrier();
                        }),
              Each(""));
}

TEST_F(CheckpointResiduesTest, MomentsThatWereNotLoaded_AreAnother) {
  EXPECT_THAT(run_ranks(1,
                        [&](Group& world) {
                          begin_exact_twin(config(), 1);
                          Trainer straight(config(), alone(world));
                          after_updates(straight, 1);
                          straight.save(own(world));
                          require_equal(
                              after_updates(straight, 1),
                              resumed(config(), alone(world), own(world), {CheckpointPart::optimizer}));
                        }),
              Each(HasSubstr("another function: ")));
}

TEST_F(CheckpointResiduesTest, CheckpointOfValues_BeginsANewProof) {
  RunConfig other_eps = config();
  other_eps.optimizer.eps *= 1 + 1e-10;
  const auto body = [&](Group& world, const RunConfig& other) {
    Trainer values(config(), alone(world));
    for (int64_t i = 0; i < 3; ++i)
      values.step();
    values.save(own(world));
    begin_exact_twin(config(), 1);
    const Residues expected = resumed(config(), alone(world), own(world));
    require(describe_residues().at("begin_after_update") == 3, "the draw does not say where it begins");
    const std::shared_ptr<Group> ranks = other.parallel.ranks() > 1 ? held(world) : alone(world);
    require_equal(expected, resumed(other, ranks, own(world)));
    world.barrier();
  };
  EXPECT_THAT(run_ranks(2, [&](Group& world) { body(world, shards()); }), Each(""));
  EXPECT_THAT(run_ranks(1, [&](Group& world) { body(world, other_eps); }),
              Each(HasSubstr("another function: ")));
}

TEST_F(CheckpointResiduesTest, ResiduesOfAnotherKey_AreRefused) {
  EXPECT_THAT(run_ranks(1,
                        [&](Group& world) {
                          begin_exact_twin(config(), 1);
                          Trainer(config(), alone(world)).save(own(world));
                          begin_exact_twin(config(), 2);
                          resumed(config(), alone(world), own(world));
                        }),
              Each(HasSubstr("residues are of another draw")));
}

}  // namespace
}  // namespace parity::reference
