// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/weight_sync/weight_sync.hpp"

#include <gmock/gmock.h>

#include "tests/reference/rl/weight_sync/served_model.hpp"

namespace parity::reference {
namespace {

using testing::Each;

constexpr int64_t small_buckets = 1000;

struct Layout {
  std::string name;
  RunConfig config;
};

/// \param change  of the parallelism
template <class Change>
Layout layout(const std::string& name, const Change& change, RunConfig config = odd_config()) {
  change(config);
  return {name, config};
}

std::vector<Layout> layouts() {
  const auto four_heads = [](RunConfig& c) { c.architecture.n_kv_heads = 4; };
  return {
      layout("one", [](RunConfig&) {}),
      layout("replicate2", [](RunConfig& c) { c.parallel.dp_replicate = 2; }),
      layout("fsdp2", [](RunConfig& c) { c.parallel.dp_shard = 2; }),
      layout("fsdp4", [](RunConfig& c) { c.parallel.dp_shard = 4; }),
      layout("hsdp2x2", [](RunConfig& c) { c.parallel.dp_shard = c.parallel.dp_replicate = 2; }),
      layout("tp2", [](RunConfig& c) { c.parallel.tp = 2; }),
      layout("tp4",
             [&](RunConfig& c) {
               four_heads(c);
               c.parallel.tp = 4;
             }),
      layout("pp2", [](RunConfig& c) { c.parallel.pp = 2; }),
      layout("pp2_fsdp2",
             [](RunConfig& c) {
               c.parallel.pp = c.parallel.dp_shard = 2;
               c.parallel.pp_microbatches = 2;
             }),
      layout("fsdp2_tp2", [](RunConfig& c) { c.parallel.dp_shard = c.parallel.tp = 2; }),
      layout("cp2_fsdp2",
             [](RunConfig& c) {
               c.parallel.cp = c.parallel.dp_shard = 2;
               c.attention.backend = AttentionBackend::flex;
             }),
      layout(
          "experts_ep2", [](RunConfig& c) { c.parallel.dp_shard = c.parallel.ep = 2; },
          config_with_experts()),
      layout(
          "experts_fsdp4_ep2",
          [](RunConfig& c) {
            c.parallel.dp_shard = 4;
            c.parallel.ep = 2;
          },
          config_with_experts()),
      layout(
          "experts_tp2", [](RunConfig& c) { c.parallel.tp = 2; }, config_with_experts()),
  };
}

std::string name_of_case(const testing::TestParamInfo<Layout>& tested) {
  return tested.param.name;
}

class EveryLayoutTest : public RanksTest, public testing::WithParamInterface<Layout> {
 protected:
  /// Both ways, into generators over 1 and 2 ranks.
  static void push_and_pull(const RunConfig& config, Group& world, torch::ScalarType dtype) {
    const auto trained = config.dtype == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
    const Trainer trainer(config, held(world));
    const Truth truth(config);
    truth.write_to(trainer.parameters());
    truth.write_to(trainer.router_biases());
    for (const int64_t tp : {1, 2}) {
      if (world.size() % tp != 0)
        continue;
      const ServedModel served(config, world, tp, dtype);
      for (const PushMethod method : {PushMethod::direct, PushMethod::gathered}) {
        served.forget();
        WeightSync sync({trainer.parameters(), trainer.router_biases()}, served.tensors(), held(world),
                        method, dtype, small_buckets);
        require(sync.version() == -1, "a version before the first");
        sync.push(7);
        require_all_nan(served.tensors());
        sync.pull(7);
        truth.require_in(served.tensors(), trained);
        require(sync.version() == 7, "another version");
      }
    }
    world.barrier();  // groups end only after all ranks have met in them
  }
};

TEST_P(EveryLayoutTest, ServesWhatIsTrainedBitForBitBothWays) {
  EXPECT_THAT(run_ranks(GetParam().config.parallel.ranks(),
                        [](Group& world) { push_and_pull(GetParam().config, world, torch::kBFloat16); }),
              Each(""));
}

class WeightSyncTest : public RanksTest {};

TEST_F(WeightSyncTest, FollowsTheTrainingBothWaysWithTheSameBits) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          RunConfig config = config_with_experts();
                          config.parallel.dp_shard = config.parallel.tp = 2;
                          Trainer trainer(config, held(world));
                          const ModelTensors trained{trainer.parameters(), trainer.router_biases()};
                          const ServedModel a(config, world, 2, torch::kBFloat16),
                              b(config, world, 2, torch::kBFloat16);
                          WeightSync direct(trained, a.tensors(), held(world), PushMethod::direct,
                                            torch::kBFloat16, small_buckets),
                              gathered(trained, b.tensors(), held(world), PushMethod::gathered,
                                       torch::kBFloat16);
                          torch::Tensor before;
                          for (const int64_t version : {1, 2}) {
                            trainer.step();
                            for (WeightSync* sync : {&direct, &gathered}) {
                              sync->push(version);
                              sync->pull(version);
                            }
                            require_same(a.tensors(), b.tensors());
                            const torch::Tensor now = a.tensors().parameters.front().value.clone();
                            require(!before.defined() || !now.equal(before), "the first version is served");
                            before = now;
                          }
                          world.barrier();
                        }),
              Each(""));
}

INSTANTIATE_TEST_SUITE_P(Layouts, EveryLayoutTest, testing::ValuesIn(layouts()), name_of_case);

class DtypesTest : public EveryLayoutTest {};

TEST_P(DtypesTest, OfTrainingAndTransferNeedNotBeTheSame) {
  EXPECT_THAT(run_ranks(GetParam().config.parallel.ranks(),
                        [](Group& world) {
                          for (const auto dtype : {torch::kBFloat16, torch::kFloat32, torch::kFloat64})
                            push_and_pull(GetParam().config, world, dtype);
                        }),
              Each(""));
}

const auto fsdp_and_tensor = [](RunConfig& c) { c.parallel.dp_shard = c.parallel.tp = 2; };
INSTANTIATE_TEST_SUITE_P(Precisions, DtypesTest,
                         testing::Values(layout("float32", fsdp_and_tensor),
                                         layout("float64", fsdp_and_tensor, odd_config(Precision::float64))),
                         name_of_case);

}  // namespace
}  // namespace parity::reference
