// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Law "reduction" over runs of parity-train that record the gradient of each micro-batch.
#include "tests/end_to_end/laws/lawful_fixture.hpp"

namespace parity {
namespace {
using testing::HasSubstr;

/// Settings of a layout and its ranks.
struct Split {
  const char* name;
  int ranks;
  std::map<std::string, Json> config;
};

void PrintTo(const Split& split, std::ostream* out) {
  *out << split.name;
}

class MicroBatchesRunTest : public LawfulRunTest {
 protected:
  static suite::PlannedRun run_of(int ranks = 1, const std::map<std::string, Json>& config = {}) {
    suite::PlannedRun run = LawfulRunTest::run_of(ranks);
    run.capture.micro_batches = true;
    run.config["parallel.dp_replicate"] = 1;
    for (const auto& [key, value] : config)
      run.config[key] = value;
    return run;
  }
  static suite::PlannedRun replicas() { return run_of(2, {{"parallel.dp_replicate", 2}}); }
};

class EachSplit : public MicroBatchesRunTest, public testing::WithParamInterface<Split> {};

TEST_P(EachSplit, MicroBatches_AreSummed) {
  const trace::Trace trace = train(run_of(GetParam().ranks, GetParam().config));
  const Audit audit = laws::audit(trace);
  EXPECT_EQ(audit.exit_code(), ExitCode::agree) << audit.to_json().dump(1);
  const laws::Finding& found = finding(audit, "reduction");
  EXPECT_EQ(found.answer(), Answer::holds) << found.why;
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("of the micro-batches' gradients")));
  for (const std::string& note : found.notes)
    EXPECT_THAT(note, testing::Not(HasSubstr("not summed")));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, EachSplit,
    testing::Values(
        Split{"one", 1, {}}, Split{"replicas", 2, {{"parallel.dp_replicate", 2}}},
        Split{"tensor", 2, {{"parallel.tp", 2}}}, Split{"chunks", 1, {{"loss.chunks", 2}}},
        Split{"scaled", 1, {{"loss.scale", "dynamic"}}},
        Split{"fsdp_scaled", 2, {{"parallel.dp_shard", 2}, {"loss.scale", "dynamic"}}},
        Split{"fsdp", 2, {{"parallel.dp_shard", 2}}},
        Split{"fsdp_each", 2, {{"parallel.dp_shard", 2}, {"parallel.sync", "each"}, {"loss.chunks", 2}}},
        Split{"fsdp_average",
              2,
              {{"parallel.dp_shard", 2},
               {"parallel.gradient_reduction", "average"},
               {"loss.normalization", "microbatch_mean"}}},
        Split{"replicas_scaled",
              2,
              {{"parallel.dp_replicate", 2},
               {"loss.scale", "dynamic"},
               {"loss.scale_init", 48.0},
               {"loss.normalization", "gradient_scaling"}}},
        Split{"hsdp_average",
              4,
              {{"parallel.dp_shard", 2},
               {"parallel.dp_replicate", 2},
               {"parallel.gradient_reduction", "average"},
               {"data.micro_batches", 3},
               {"loss.normalization", "microbatch_mean"}}},
        Split{"fsdp_average_tensor",
              4,
              {{"parallel.dp_shard", 2},
               {"parallel.tp", 2},
               {"parallel.sequence_parallel", true},
               {"parallel.gradient_reduction", "average"},
               {"loss.normalization", "microbatch_mean"}}},
        Split{"fsdp_bf16",
              2,
              {{"parallel.dp_shard", 2}, {"parallel.mixed_precision", "bf16"}, {"loss.chunks", 2}}},
        Split{"fsdp_tensor",
              4,
              {{"parallel.dp_shard", 2},
               {"parallel.tp", 2},
               {"parallel.sequence_parallel", true},
               {"loss.normalization", "gradient_scaling"}}},
        Split{"pipeline",
              2,
              {{"architecture.n_layers", 2},
               {"parallel.pp", 2},
               {"parallel.pp_microbatches", 2},
               {"data.micro_batches", 3}}},
        Split{"pipeline_fsdp",
              4,
              {{"architecture.n_layers", 2},
               {"parallel.pp", 2},
               {"parallel.pp_microbatches", 3},
               {"parallel.dp_shard", 2}}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_F(MicroBatchesRunTest, MeanOfMicroBatches_IsNamed) {
  suite::PlannedRun run = run_of();
  run.capture.faults = {fault(trace::FaultKind::scale, Phase::grad, "*", 3, -0.5)};
  EXPECT_EQ(sentence(laws::audit(train(run)), "reduction"),
            "every tensor: the gradient is not the sum of the micro-batches': it is the mean");
}

TEST_F(MicroBatchesRunTest, GradientBeforeReduction_IsJudgedByRank) {
  suite::PlannedRun run = replicas();
  trace::Fault planted = fault(trace::FaultKind::scale, Phase::grad_local, "norm.weight", 2, 1);
  planted.rank = 1;
  run.capture.faults = {planted};
  EXPECT_EQ(sentence(laws::audit(train(run)), "reduction"),
            "norm.weight: the gradient on rank 1 is not the sum of the micro-batches': it is 2 times that");
}

TEST_F(MicroBatchesRunTest, GradientThatFsdpReduced_IsJudgedByAllRanks) {
  suite::PlannedRun run = run_of(2, {{"parallel.dp_shard", 2}});
  run.capture.faults = {fault(trace::FaultKind::scale, Phase::grad, "norm.weight", 2, 1)};
  EXPECT_EQ(sentence(laws::audit(train(run)), "reduction"),
            "norm.weight: the reduced gradient is not the sum of the micro-batches': it is 2 times that");
}

TEST_F(MicroBatchesRunTest, ExpertsOfSeveralGroups_AreNamedAsNotAsked) {
  suite::PlannedRun run = run_of(4, {{"model", "qwen3.debug_moe_8"},
                                     {"moe.hidden", 16},
                                     {"data.micro_batches", 3},
                                     {"parallel.dp_shard", 4},
                                     {"parallel.ep", 2}});
  const Audit audit = laws::audit(train(run));
  const laws::Finding& found = finding(audit, "reduction");
  EXPECT_EQ(found.answer(), Answer::holds) << found.why;
  EXPECT_THAT(found.notes,
              testing::Contains(HasSubstr("micro-batches were not summed of layers.0.moe.experts.w1")));
}

}  // namespace
}  // namespace parity
