// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The trainer on a device that is not the CPU, without a GPU: see foreign_device.hpp.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/trace/read/trace.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/capture/capture.hpp"
#include "reference/train/numerics/determinism.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/devices/foreign_device.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

/// Configs that together reach every place where a step creates or reads a tensor.
struct Way {
  const char* name;
  int64_t ranks;
  void (*change)(RunConfig& config);
};

void with_documents(RunConfig& config) {
  config.data.packing = Packing::stream;
  config.data.document_tokens = 6;
  config.data.eos_id = 39;
  config.attention.documents = {DocumentBoundary::eos};
}

const Way ways[] = {
    {"Flex", 1, [](RunConfig&) {}},
    {"FlexDocuments", 1, with_documents},
    {"ChunkedLossAndEvaluation", 1,
     [](RunConfig& config) {
       config.loss.chunks = 4;
       config.train.evaluate = true;
     }},
    {"GradientScalingInMicroBatches", 1,
     [](RunConfig& config) {
       config.loss.normalization = Normalization::gradient_scaling;
       config.loss.accumulation = Accumulation::streamed;
       config.data.micro_batches = 2;
     }},
    {"PlainAdamW", 1,
     [](RunConfig& config) { config.optimizer.implementation = OptimizerImplementation::plain; }},
    {"SgdWithMomentum", 1,
     [](RunConfig& config) {
       config.optimizer.name = OptimizerName::sgd;
       config.optimizer.momentum = 0.9;
     }},
    {"ActivationCheckpointing", 1,
     [](RunConfig& config) { config.parallel.activation_checkpointing = ActivationCheckpointing::full; }},
    {"UnitsOfOneRank", 1, [](RunConfig& config) { config.parallel.replicate_with = ReplicateWith::hsdp; }},
    {"Replicas", 2, [](RunConfig& config) { config.parallel.dp_replicate = 2; }},
    {"FSDP", 2, [](RunConfig& config) { config.parallel.dp_shard = 2; }},
    {"TensorParallel", 2,
     [](RunConfig& config) {
       config.parallel.tp = 2;
       config.parallel.sequence_parallel = true;
       config.parallel.loss_parallel = true;
     }},
    {"ContextParallel", 2,
     [](RunConfig& config) {
       config.parallel.cp = 2;
       with_documents(config);
     }},
    {"Pipeline", 2,
     [](RunConfig& config) {
       config.parallel.pp = 2;
       config.parallel.pp_microbatches = 4;
       config.train.evaluate = true;
     }},
    {"InterleavedPipeline", 2,
     [](RunConfig& config) {
       config.architecture.n_layers = 4;
       config.parallel.pp = 2;
       config.parallel.pp_stages = 2;
       config.parallel.pp_microbatches = 2;
       config.parallel.pp_schedule = PipelineSchedule::interleaved;
     }},
};

RunConfig config_of(const Way& way) {
  RunConfig config = tiny_config();
  config.attention.backend = AttentionBackend::flex;
  config.data.global_batch = 4;
  way.change(config);
  return config;
}

class StepOnDeviceTest : public RanksTest, public testing::WithParamInterface<Way> {
 protected:
  Device device(int64_t /*rank*/) const override { return on_device ? foreign_device() : Device{}; }

  /// Three updates with everything captured that a trace can contain; ranks leave their files in `name`.
  void train(const std::string& name) {
    std::filesystem::create_directories(folder / name);
    const RunConfig config = config_of(GetParam());
    const std::filesystem::path file = folder / name / "trace.h5";
    EXPECT_THAT(run_ranks(GetParam().ranks,
                          [&](Group& world) {
                            make_deterministic(1);
                            const std::shared_ptr<Group> all(&world, [](Group*) {});
                            Trainer trainer(config, all);
                            trace::Recorder::Options options{file, Json::object(), Json::object(),
                                                             everything(), 0};
                            options.rank = world.rank();
                            options.ranks = world.size();
                            trace::Recorder recorder(std::move(options));
                            StepCapture capture(trainer, recorder);
                            capture.initial_state();
                            for (int64_t step = 1; step <= 3; ++step) {
                              capture.begin_step(step);
                              capture.end_step(trainer.step());
                            }
                            if (world.rank() > 0)
                              recorder.finish();
                            world.barrier();
                            if (world.rank() == 0)
                              recorder.finish();
                            world.barrier();
                            const bool there = !world.device().is_cpu();
                            require((foreign_operators() > 0) == there, "where the operators ran");
                            require((foreign_collectives() > 0) == (there && world.size() > 1),
                                    "where the collectives ran");
                            for (const Parameter& parameter : trainer.parameters())
                              require(parameter.value.device() == world.device().place, parameter.name);
                          }),
                Each(""));
  }

  static trace::Capture everything() {
    trace::Capture capture;
    capture.sketches.emplace_back();
    return capture;
  }

  bool on_device = false;
};

TEST_P(StepOnDeviceTest, HasTheBitsOfTheCpuInEveryTensorAndChannel) {
  train("here");
  on_device = true;
  train("there");
  const trace::Trace here = trace::Trace::open(folder / "here/trace.h5"),
                     there = trace::Trace::open(folder / "there/trace.h5");
  for (const auto& [name, channel] : here.channels())
    if (channel.kind != trace::ChannelKind::timing) {
      EXPECT_EQ(there.channels().at(name).as_double(), channel.as_double()) << name;
    }
  EXPECT_FALSE(here.channels().contains("device_memory_bytes"));
  EXPECT_EQ(there.channels().at("device_memory_bytes").as_double(), (std::vector<double>{17, 17, 17}));
  ASSERT_FALSE(here.sketches().empty());
  ASSERT_EQ(here.sketches().size(), there.sketches().size());
  for (const trace::SketchRow& row : here.sketches()) {
    const trace::SketchRow* const other = there.find_sketch(row.key);
    ASSERT_NE(other, nullptr) << row.key.name;
    EXPECT_TRUE(other->digest == row.digest) << row.key.name << " at step " << row.key.step;
    EXPECT_EQ(other->values, row.values) << row.key.name << " at step " << row.key.step;
    EXPECT_EQ(other->norm, row.norm) << row.key.name << " at step " << row.key.step;
    EXPECT_EQ(other->max_abs, row.max_abs) << row.key.name << " at step " << row.key.step;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, StepOnDeviceTest, testing::ValuesIn(ways),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace parity::reference
