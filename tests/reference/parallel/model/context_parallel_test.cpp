// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/context_parallel.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/data/loader.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(ContextPositionsTest, Rank_HasAHeadChunkAndItsMirrorFromTheTail) {
  EXPECT_THAT(context_positions(8, 2, 0), ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(context_positions(8, 2, 1), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(context_positions(8, 4, 1), ElementsAre(1, 6));
  EXPECT_THAT(context_positions(4, 1, 0), ElementsAre(0, 1, 2, 3));
}

TEST(ContextPositionsTest, EveryRankHasAsManyCausalPairs) {
  for (const int64_t ranks : {2, 3, 4}) {
    std::vector<int64_t> pairs;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const std::vector<int64_t> queries = context_positions(12 * ranks, ranks, rank);
      pairs.push_back(std::accumulate(queries.begin(), queries.end(), static_cast<int64_t>(queries.size())));
    }
    EXPECT_THAT(pairs, Each(pairs.front())) << ranks;
  }
}

class ContextParallelTest : public BesideOneProcessTest {
 protected:
  /// Labels that do not count; float64.
  static RunConfig flex() {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture.n_kv_heads = 4;
    config.data.seq_len = 16;
    config.data.ignore_fraction = 0.3;
    config.attention.backend = AttentionBackend::flex;
    return config;
  }

  static RunConfig with_documents(RunConfig config) {
    config.data.packing = Packing::first_fit;
    config.data.positions = PositionsChoice::document;
    config.data.document_tokens = 5;
    config.attention.documents = {DocumentBoundary::position_zero};
    return config;
  }
};

TEST_F(ContextParallelTest, Shards_GatherInSequenceOrderGradientsAreSums) {
  for (const int64_t ranks : {2, 4})
    EXPECT_THAT(run_ranks(ranks,
                          [](Group& world) {
                            const int64_t S = 16;
                            const torch::Tensor whole = torch::arange(3 * S, torch::kFloat64).view({3, S, 1});
                            const torch::Tensor own =
                                torch::tensor(context_positions(S, world.size(), world.rank()));
                            const torch::Tensor part = whole.index_select(1, own).requires_grad_();
                            const torch::Tensor all = gather_context(part, 1, held(world));
                            require(all.equal(whole), "another order");
                            (all * (whole + world.rank())).sum().backward();
                            const double n = static_cast<double>(world.size());
                            const torch::Tensor expected = whole * n + n * (n - 1) / 2;
                            require(part.grad().equal(expected.index_select(1, own)), "another gradient");
                          }),
                Each(""))
        << ranks;
}

TEST_F(ContextParallelTest, TrainsAsOneProcessDoesWithAndWithoutDocuments) {
  for (const int64_t ranks : {2, 4})
    for (const auto backend : {AttentionBackend::flex, AttentionBackend::dense})
      for (const bool documents : {false, true}) {
        RunConfig config = documents ? with_documents(flex()) : flex();
        config.attention.backend = backend;
        config.parallel.cp = ranks;
        EXPECT_THAT(beside_one_process(config), Each(""))
            << ranks << " " << name_of(backend) << " " << documents;
      }
}

TEST_F(ContextParallelTest, AlsoForEachNormalizationAndInChunks) {
  for (const auto rule :
       {Normalization::global_tokens, Normalization::microbatch_mean, Normalization::gradient_scaling})
    for (const int64_t chunks : {0, 4}) {
      RunConfig config = with_documents(flex());
      config.data.micro_batches = 2;
      config.loss.normalization = rule;
      config.loss.chunks = chunks;
      config.parallel.cp = 2;
      EXPECT_THAT(beside_one_process(config), Each("")) << name_of(rule) << " " << chunks;
    }
}

TEST_F(ContextParallelTest, AlsoWithReplicasShardsTensorParallelAndStages) {
  struct Mesh {
    int64_t pp, replicate, shard, tp;
    ReplicateWith with;
  };
  for (const auto& [pp, replicate, shard, tp, with] :
       {Mesh{1, 2, 1, 1, ReplicateWith::all_reduce}, Mesh{1, 2, 1, 1, ReplicateWith::hsdp},
        Mesh{1, 1, 2, 1, ReplicateWith::all_reduce}, Mesh{1, 1, 1, 2, ReplicateWith::all_reduce},
        Mesh{1, 1, 2, 2, ReplicateWith::all_reduce}, Mesh{2, 1, 1, 1, ReplicateWith::all_reduce}}) {
    RunConfig config = with_documents(flex());
    config.data.global_batch = 8;
    config.parallel.cp = 2;
    config.parallel.pp = pp;
    config.parallel.pp_microbatches = pp;
    config.parallel.dp_replicate = replicate;
    config.parallel.dp_shard = shard;
    config.parallel.replicate_with = with;
    config.parallel.tp = tp;
    config.parallel.sequence_parallel = config.parallel.loss_parallel = tp > 1;
    EXPECT_THAT(beside_one_process(config), Each("")) << pp << replicate << shard << tp;
  }
}

TEST_F(ContextParallelTest, EvaluatesAsOneProcessDoes) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          RunConfig config = with_documents(flex());
                          Trainer whole(config);
                          config.parallel.cp = 2;
                          Trainer parallel(config, held(world));
                          const double a = whole.evaluate(), b = parallel.evaluate();
                          require(std::abs(a - b) <= 1e-13 * a, fmt::format("loss {} and {}", a, b));
                        }),
              Each(""));
}

TEST_F(ContextParallelTest, MovesKeysAndValuesAndTheirGradientsOnly) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          RunConfig config = flex();
                          config.parallel.cp = 2;
                          Trainer trainer(config, held(world));
                          trainer.zero_grad();
                          trainer.forward_backward(trainer.next_batches());
                          const int64_t L = 2, B = 4, S = 16, kv = B * S * 16 * 8;  // K d = 16, float64
                          const Traffic& gathered = world.traffic().at("cp all_gather");
                          const Traffic& scattered = world.traffic().at("cp reduce_scatter");
                          require(gathered.calls == 2 * L && gathered.bytes == 2 * L * kv / 2, "all_gather");
                          require(scattered.calls == 2 * L && scattered.bytes == 2 * L * kv,
                                  "reduce_scatter");
                        }),
              Each(""));
}

TEST_F(ContextParallelTest, AGradientThatARankKeepsToItselfIsSeen) {
  const std::vector<std::string> complaints = run_ranks(2, [](Group& world) {
    RunConfig config = with_documents(flex());
    Trainer whole(config);
    config.parallel.cp = 2;
    Trainer parallel(config, held(world));
    parallel.set_phase_hook([&](trace::Phase phase) {
      if (phase == trace::Phase::grad_local && world.rank() == 1)
        torch::Tensor(parallel.parameters().front().value).mutable_grad().zero_();
    });
    const StepResult a = whole.step(), b = parallel.step();
    require(std::abs(a.loss - b.loss) <= 1e-12 * a.loss, "another loss");
    require(std::abs(a.grad_norm - b.grad_norm) <= 1e-12 * a.grad_norm, "another norm");
  });
  EXPECT_THAT(complaints, Each(testing::EndsWith("another norm")));
}

}  // namespace
}  // namespace parity::reference
