// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/tensor_parallel.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/data/loader.hpp"
#include "reference/model/batch_invariance.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/sharded_norm.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class TensorParallelTest : public BesideOneProcessTest {
 protected:
  /// Four query and four key heads, a vocabulary, a width and a length that neither 2 nor 4 divide, labels
  /// that do not count; float64.
  static RunConfig uneven() {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture.n_kv_heads = 4;
    config.architecture.vocab_size = 43;
    config.architecture.ffn_hidden = 25;
    config.data.seq_len = 11;
    config.data.ignore_fraction = 0.3;
    return config;
  }
};

TEST_F(TensorParallelTest, EachRankKeepsItsPartOfEachMatrixAndSaysWhich) {
  EXPECT_THAT(
      run_ranks(2,
                [](Group& world) {
                  const ModelDimensions dimensions = tiny_dimensions();
                  Decoder model(dimensions, torch::kFloat32), whole(dimensions, torch::kFloat32);
                  initialize(model, 1);
                  initialize(whole, 1);
                  const Parameters tp = apply_tensor_parallel(model, {.tp = 2}, held(world));
                  require(tp.size() == whole.parameters().size(), "another list");
                  for (size_t i = 0; i < tp.size(); ++i) {
                    const auto& [name, value, layout, partial] = tp[i];
                    const torch::Tensor& expected = whole.parameters()[i].value;
                    require(name == whole.parameters()[i].name && value.requires_grad(), name);
                    require(layout.global_shape == expected.sizes().vec(), name + ": another shape");
                    require(logical_tensor(value, layout, world).equal(expected), name + ": other bits");
                    const bool is_norm = name.ends_with("norm.weight");
                    require(value.numel() * (is_norm ? 1 : 2) == expected.numel(), name + ": no part");
                    require(is_norm || model.parameters()[i].value.numel() == 0, name + ": kept whole");
                    require(partial.empty(), name + ": whole sequences give whole gradients");
                  }
                }),
      Each(""));
}

TEST_F(TensorParallelTest, EachParallelism_TrainsAsOneProcess) {
  for (const int64_t ranks : {2, 4})
    for (const bool sequence_parallel : {false, true})
      for (const bool loss_parallel : {false, true}) {
        RunConfig config = uneven();
        config.parallel = {
            .tp = ranks, .sequence_parallel = sequence_parallel, .loss_parallel = loss_parallel};
        EXPECT_THAT(beside_one_process(config), Each(""))
            << ranks << " ranks, " << sequence_parallel << loss_parallel;
      }
}

ModelDimensions dimensions_of_four_heads() {
  ModelDimensions dimensions = tiny_dimensions();
  dimensions.n_kv_heads = 4;
  return dimensions;
}

torch::Tensor invariant_logits(const Decoder& model, int64_t length) {
  const torch::Tensor tokens = torch::arange(2 * length).view({2, length}),
                      places = torch::arange(length).expand({2, length}).contiguous();
  const torch::NoGradGuard no_grad;
  return model.forward({tokens, places, model.get_attention_masks(tokens, places)});
}

/// Returns the number of lengths at which the logits over all ranks are not those of one rank.
int64_t lengths_with_other_bits(const GroupPointer& ranks, ParallelConfig layout, torch::ScalarType dtype) {
  const ModelDimensions dimensions = dimensions_of_four_heads();
  Decoder model(dimensions, dtype, {AttentionBackend::tiled, {}}),
      whole(dimensions, dtype, {AttentionBackend::tiled, {}});
  for (Decoder* each : {&model, &whole})
    initialize(*each, 1);
  make_batch_invariant(whole.hooks(), ParallelConfig{.tp_sum_pieces = layout.tp_sum_pieces}.own_sum_pieces());
  layout.tp = ranks->size();
  make_batch_invariant(model.hooks(), layout.own_sum_pieces());
  apply_tensor_parallel(model, layout, ranks);
  int64_t others = 0;
  for (int64_t length = 1; length <= 20; ++length)
    others += invariant_logits(model, length).equal(invariant_logits(whole, length)) ? 0 : 1;
  return others;
}

TEST_F(TensorParallelTest, SumsAsATree_LogitsHaveTheBitsOfOneRank) {
  for (const int64_t size : {2, 4})
    EXPECT_THAT(
        run_ranks(size,
                  [&](Group& world) {
                    for (const bool sequence : {false, true})
                      for (const auto dtype : {torch::kFloat32, torch::kFloat64, torch::kBFloat16}) {
                        const ParallelConfig tree = {.sequence_parallel = sequence, .tp_sum_pieces = 8};
                        require(lengths_with_other_bits(held(world), tree, dtype) == 0, c10::toString(dtype));
                        require(lengths_with_other_bits(held(world), {}, dtype) > 5,
                                "without a tree the same bits");
                      }
                  }),
        Each(""));
}

TEST_F(TensorParallelTest, SumsAsATree_TrainAsOneProcess) {
  for (const bool sequence_parallel : {false, true}) {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture.n_kv_heads = 4;
    config.attention.backend = AttentionBackend::tiled;
    config.train.batch_invariant = true;
    config.parallel = {.tp = 4, .sequence_parallel = sequence_parallel, .tp_sum_pieces = 8};
    EXPECT_THAT(beside_one_process(config), Each("")) << sequence_parallel;
  }
}

TEST_F(TensorParallelTest, AlsoASequenceShorterThanTheRanks) {
  RunConfig config = uneven();
  config.data.seq_len = 3;
  config.data.ignore_fraction = 0;
  config.parallel = {.tp = 4, .sequence_parallel = true};
  EXPECT_THAT(beside_one_process(config), Each(""));
}

TEST_F(TensorParallelTest, AlsoWithALossInChunksOfTokens) {
  for (const bool sequence_parallel : {false, true})
    for (const bool loss_parallel : {false, true}) {
      RunConfig config = uneven();
      config.loss.chunks = 4;
      config.parallel = {.tp = 2, .sequence_parallel = sequence_parallel, .loss_parallel = loss_parallel};
      EXPECT_THAT(beside_one_process(config), Each("")) << sequence_parallel << loss_parallel;
    }
}

TEST_F(TensorParallelTest, AlsoForEachNormalization) {
  for (const auto rule : {Normalization::microbatch_mean, Normalization::gradient_scaling}) {
    RunConfig config = uneven();
    config.loss.normalization = rule;
    config.data.micro_batches = 2;
    config.parallel = {.tp = 2, .loss_parallel = true};
    EXPECT_THAT(beside_one_process(config), Each("")) << name_of(rule);
  }
}

TEST_F(TensorParallelTest, AlsoWithDocumentsApart) {
  RunConfig config = uneven();
  config.data.packing = Packing::first_fit;
  config.data.positions = PositionsChoice::document;
  config.data.document_tokens = 4;
  config.data.eos_id = 39;
  config.attention = {AttentionBackend::flex, {DocumentBoundary::position_zero}};
  config.parallel = {.tp = 2, .sequence_parallel = true};
  EXPECT_THAT(beside_one_process(config), Each(""));
}

TEST_F(TensorParallelTest, AlsoBesideReplicas) {
  RunConfig config = uneven();
  config.parallel = {.dp_replicate = 2, .tp = 2, .sequence_parallel = true, .loss_parallel = true};
  EXPECT_THAT(beside_one_process(config), Each(""));
}

TEST_F(TensorParallelTest, AlsoUnderFullySharedParameters) {
  RunConfig config = uneven();
  config.parallel = {.dp_shard = 2, .tp = 2, .sequence_parallel = true, .loss_parallel = true};
  EXPECT_THAT(beside_one_process(config), Each(""));
}

/// A block sums twice and enters twice, an activation each: its bytes follow from its shape.
TEST_F(TensorParallelTest, MovesWhatTheSchemeSaysAndNoMore) {
  const auto expect = [](const Group& world, const std::string& kind, int64_t calls, int64_t bytes) {
    const auto& traffic = world.traffic();
    const auto found = traffic.find("tp " + kind);
    const Traffic actual = found == traffic.end() ? Traffic{} : found->second;
    require(actual.calls == calls && actual.bytes == bytes,
            fmt::format("{} {} of {} bytes, not {} of {}", actual.calls, kind, actual.bytes, calls, bytes));
  };
  for (const bool sequence_parallel : {false, true})
    EXPECT_THAT(run_ranks(2,
                          [&](Group& world) {
                            RunConfig config = tiny_config();
                            config.parallel = {.tp = 2, .sequence_parallel = sequence_parallel};
                            Trainer trainer(config, held(world));
                            trainer.zero_grad();
                            trainer.forward_backward(trainer.next_batches());
                            const int64_t T = 4 * 12, D = 16, V = 40, L = 2, activation = T * D * 4;
                            const int64_t logits = T * V / 2 * 4;
                            if (!sequence_parallel) {
                              expect(world, "all_reduce", 2 * (2 * L + 1), 2 * (2 * L + 1) * activation);
                              expect(world, "all_gather", 1, logits);
                              expect(world, "reduce_scatter", 0, 0);
                            } else {
                              expect(world, "all_reduce", 0, 0);
                              expect(world, "all_gather", 2 * (2 * L + 1) + 1,
                                     (2 * L + 1) * activation + logits);
                              expect(world, "reduce_scatter", 2 * (2 * L + 1), 2 * (2 * L + 1) * activation);
                            }
                          }),
                Each(""))
        << sequence_parallel;
}

TEST_F(TensorParallelTest, ATermOfANormsGradientThatIsNotSummedIsSeen) {
  const std::vector<std::string> complaints = run_ranks(2, [](Group& world) {
    RunConfig config = uneven();
    config.parallel = {.tp = 2, .sequence_parallel = true};
    Trainer parallel(config, held(world));
    parallel.set_phase_hook([&](trace::Phase phase) {
      if (phase == trace::Phase::grad_local && world.rank() == 1)
        for (const Parameter& parameter : parallel.parameters())
          if (parameter.name.ends_with("norm.weight"))
            torch::Tensor(parameter.value).mutable_grad().zero_();
    });
    config.parallel = {};
    Trainer whole(config);
    expect_near(whole.step(), parallel.step());
  });
  EXPECT_THAT(complaints, Each(HasSubstr("grad_norm")));
}

TEST_F(TensorParallelTest, AReplicatedGradientCountedOnEachRankIsSeen) {
  const std::vector<std::string> complaints = run_ranks(2, [](Group& world) {
    RunConfig config = uneven();
    config.parallel = {.tp = 2};
    Trainer parallel(config, held(world));
    double right = 0, wrong = 0;
    parallel.set_phase_hook([&](trace::Phase phase) {
      if (phase != trace::Phase::grad)
        return;
      Parameters counted = parallel.parameters();
      right = sharded_gradient_norm(counted, world).item<double>();
      for (Parameter& parameter : counted)
        if (parameter.name.ends_with("norm.weight"))
          parameter.layout.placements = {{"tp", world.rank(), 2, Shard{0, {{0, 16}}}}};
      wrong = sharded_gradient_norm(counted, world).item<double>();
    });
    config.parallel = {};
    Trainer whole(config);
    const StepResult expected = whole.step();
    expect_near(expected, parallel.step());
    require(std::abs(right - expected.grad_norm) <= 1e-12 * right, "the right norm is another");
    require(wrong <= right * (1 + 1e-9), "counted twice");
  });
  EXPECT_THAT(complaints, Each(HasSubstr("counted twice")));
}

}  // namespace
}  // namespace parity::reference
