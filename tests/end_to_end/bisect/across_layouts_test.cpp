// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The search between one process and another layout of the same model: it ends at the step, and at the
// tensor, rank, factor, operator, number or law of the defect, although every sum has another order.
#include <gmock/gmock.h>

#include "tests/end_to_end/faults/planted_fault.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

class AcrossLayoutsTest : public PlantedFaultTest {
 protected:
  bisect::SearchRecord search(const suite::Case& source, const std::string& good, const std::string& bad,
                              const std::vector<trace::Fault>& faults = {}) {
    suite::ExtraArm changed;
    changed.of = bad;
    changed.suffix = "changed";
    changed.twin = true;
    changed.faults = faults;
    return bisect::search_run({with_extra_arms(source, {changed}), good, bad + "~changed"}, options(),
                              progress_);
  }
  /// Searches between a whole run and one that restarts after update 3 without a part of its checkpoint.
  bisect::SearchRecord search_restart(const std::string& forgotten, FaultModel model) {
    const std::string excluded =
        forgotten.empty() ? "" : "checkpoint.exclude_from_loading = [\"" + forgotten + "\"]\n";
    const std::string balance = model == FaultModel::mixture ? "moe.load_balance = \"on\"\n" : "";
    return search_settings({"other", model, "checkpoint.restart_after = 3\n"}, excluded,
                           "steps = 6\n" + balance);
  }
  static trace::Fault fault(trace::FaultKind kind, trace::Phase phase, const std::string& name,
                            double size = 0) {
    trace::Fault fault;
    fault.kind = kind;
    fault.steps = {3};
    fault.phase = phase;
    fault.name = name;
    fault.size = size;
    return fault;
  }
  /// The details of the last stage of this kind, in float64 or not.
  static Json details(const bisect::SearchRecord& record, const std::string& name) {
    const auto found = std::ranges::find_if(record.stages.rbegin(), record.stages.rend(),
                                            [&](const bisect::SearchStage& stage) {
                                              return stage.name == name || stage.name == "float64-" + name;
                                            });
    if (found == record.stages.rend())
      throw std::runtime_error("no stage " + name + " in: " + record.to_json().dump(1));
    return found->details;
  }
  static void expect_tensor(const bisect::SearchRecord& record, int64_t step, const std::string& phase,
                            const std::string& name) {
    const Json found = details(record, "tensor");
    EXPECT_EQ(found.at("step"), step) << record.sentence;
    EXPECT_EQ(found.at("phase"), phase) << record.sentence;
    EXPECT_EQ(found.at("name"), name) << record.sentence;
  }
};

TEST_F(AcrossLayoutsTest, OtherOrderOfSums_IsRounding) {
  const bisect::SearchRecord record = search(all_layouts(), "one", "tensor");
  EXPECT_THAT(record.sentence, HasSubstr("nothing of it remains in float64")) << record.to_json().dump(1);
}

TEST_F(AcrossLayoutsTest, UnreducedGradientOfOneRank_IsNamedWithItsRank) {
  trace::Fault dropped =
      fault(trace::FaultKind::dropped_reduction, trace::Phase::grad, "layers.0.feed_forward.w2.weight");
  dropped.rank = 1;
  const bisect::SearchRecord record = search(all_layouts(), "one", "replicas", {dropped});
  expect_tensor(record, 3, "grad", "layers.0.feed_forward.w2.weight");
  EXPECT_EQ(details(record, "tensor").at("replicas"), Json({{"side", "actual"}, {"rank", 1}, {"other", 0}}));
  EXPECT_THAT(record.sentence, HasSubstr("differs from rank 0, although both must hold the same"));
}

TEST_F(AcrossLayoutsTest, ParameterOfOneReplica_IsNamedAtItsStep) {
  trace::Fault changed = fault(trace::FaultKind::scale, trace::Phase::param, "norm.weight", 1e-3);
  changed.rank = 1;
  changed.steps = {2};
  const bisect::SearchRecord record = search(all_layouts(), "one", "replicas", {changed});
  expect_tensor(record, 2, "param", "norm.weight");
  EXPECT_EQ(details(record, "tensor").at("replicas").at("rank"), 1);
}

TEST_F(AcrossLayoutsTest, ConstantFactor_IsNamed) {
  const bisect::SearchRecord record =
      search(all_layouts(), "one", "tensor",
             {fault(trace::FaultKind::scale, trace::Phase::grad, "layers.1.attention.wo.weight", -0.5)});
  expect_tensor(record, 3, "grad", "layers.1.attention.wo.weight");
  EXPECT_EQ(details(record, "element").at("factor"), 0.5) << record.sentence;
  EXPECT_THAT(record.sentence, HasSubstr("each is 0.5 times the expected one"));
}

TEST_F(AcrossLayoutsTest, FactorOfTheSameLayout_IsExact) {
  const bisect::SearchRecord record =
      search(all_layouts(), "shards", "shards",
             {fault(trace::FaultKind::scale, trace::Phase::forward, "layers.1.attention", -2)});
  expect_tensor(record, 3, "forward", "layers.1.attention");
  EXPECT_EQ(details(record, "element").at("factor"), -1.0) << record.sentence;
}

TEST_F(AcrossLayoutsTest, OtherEps_EndsAtTheOptimizersNumber) {
  for (const char* layout : {"parallel.dp_shard = 2\n", "parallel.tp = 2\n"}) {
    const bisect::SearchRecord record =
        search_settings({"other", FaultModel::dense, layout}, "optimizer.eps = 1e-4\n");
    const Json found = details(record, "operator");
    EXPECT_EQ(found.at("slot"), "eps") << record.sentence;
    EXPECT_EQ(found.at("module"), "optimizer");
    EXPECT_EQ(found.at("numbers"), "1e-08 against 0.0001");
  }
}

TEST_F(AcrossLayoutsTest, OtherRate_EndsAtTheOptimizersNumber) {
  const bisect::SearchRecord record =
      search_settings({"other", FaultModel::dense, "parallel.dp_shard = 2\n"}, "lr.base = 0.008\n");
  EXPECT_EQ(details(record, "operator").at("slot"), "lr") << record.sentence;
}

TEST_F(AcrossLayoutsTest, OtherNormEps_EndsAtTheModelsNumber) {
  const bisect::SearchRecord record =
      search_settings({"other", FaultModel::dense, "parallel.tp = 2\n"}, "architecture.norm_eps = 1e-3\n");
  expect_tensor(record, 1, "forward", "layers.0.attention_norm");
  const Json found = details(record, "operator");
  EXPECT_EQ(found.at("module"), "layers.0.attention_norm") << record.sentence;
  EXPECT_THAT(found.at("numbers").get<std::string>(), HasSubstr("0.001"));
}

TEST_F(AcrossLayoutsTest, AverageInsteadOfSum_DepartsFromALaw) {
  const bisect::SearchRecord record =
      search_settings({"other", FaultModel::dense, "parallel.dp_replicate = 2\n"},
                      "parallel.gradient_reduction = \"average\"\n");
  EXPECT_EQ(details(record, "tensor").at("step"), 1) << record.sentence;
  EXPECT_EQ(details(record, "element").at("factor"), 0.5) << record.to_json().dump(1);
}

/// One process against two context-parallel ranks, of which each cuts a tensor a place too far.
TEST_F(AcrossLayoutsTest, WrongCut_EndsAtWhatTheModelReads) {
  for (const char* cut : {"tokens", "labels", "positions"}) {
    const bisect::SearchRecord record = search_settings(
        {"other", FaultModel::dense, "parallel.cp = 2\nattention.backend = \"flex\"\n"},
        fmt::format("environment = {{ LD_PRELOAD = \"{}/lib/libwrong_cut.so\", CUT_TOO_FAR = \"{}\" }}\n",
                    places::build, cut));
    expect_tensor(record, 1, "input", std::string("read/") + cut);
    EXPECT_THAT(record.sentence,
                HasSubstr(fmt::format("the model of other reads other {} than the update has", cut)));
  }
}

/// Each piece of a pipeline attends under the first piece's documents.
TEST_F(AcrossLayoutsTest, HeldMask_EndsAtWhatTheModelReads) {
  const std::string model(keys_of(FaultModel::dense));
  const suite::Case source = write_case(
      "m",
      "[base]\nsteps = 4\n[base.architecture]\ndim = 32\nn_heads = 2\nvocab_size = 256\nffn_hidden = 64\n"
      "[base.data]\nseq_len = 32\nglobal_batch = 8\npacking = \"concat_then_split\"\n"
      "positions = \"document\"\ndocument_tokens = 12\n"
      "[base.attention]\nbackend = \"flex\"\ndocuments = [\"position_zero\"]\n"
      "[arms.one]\n" +
          model + "[arms.other]\n" + model +
          "parallel.pp = 2\nparallel.pp_microbatches = 2\nparallel.pp_masks = \"held\"\n" +
          check("channel = \"loss\"", "equivalent") + no_golden());
  const bisect::SearchRecord record = bisect::search_run({source, "one", "other"}, options(), progress_);
  expect_tensor(record, 1, "input", "read/first_keys");
  EXPECT_THAT(record.sentence,
              HasSubstr("the model of other attends under another mask than the update's rows have"));
}

/// Faults after operators, for which a campaign once named an innocent one.
TEST_F(AcrossLayoutsTest, ChangedAfterItsOperators_NamesNoneOfThem) {
  struct Planted {
    const char *whole, *layout;
    trace::FaultKind kind;
    trace::Phase phase;
    const char* name;
    std::optional<int64_t> rank = {};
  };
  for (const Planted& each : std::initializer_list<Planted>{
           {"one", "context_tensor", trace::FaultKind::scale, trace::Phase::forward,
            "layers.1.attention_norm"},
           {"one", "context_tensor", trace::FaultKind::scale, trace::Phase::forward, "norm", 0},
           {"one", "pipeline", trace::FaultKind::sign_flip, trace::Phase::grad_clipped,
            "layers.0.ffn_norm.weight"},
           {"mixture", "mixture_tensor", trace::FaultKind::row_zeroed, trace::Phase::grad_local,
            "layers.1.moe.shared_experts.w2.weight", 0}}) {
    trace::Fault planted =
        fault(each.kind, each.phase, each.name, each.kind == trace::FaultKind::scale ? 1e-3 : 0);
    planted.rank = each.rank;
    const bisect::SearchRecord record = search(all_layouts(), each.whole, each.layout, {planted});
    for (const bisect::SearchStage& stage : record.stages)
      if (stage.name.ends_with("operator")) {
        EXPECT_EQ(stage.details.at("kind"), "written") << planted.text() << ": " << record.sentence;
      }
  }
}

/// The counts of labels of micro-batches and pieces differ, and are no cause.
TEST_F(AcrossLayoutsTest, OtherPieces_EndAtTheModelsOperator) {
  for (const char* pieces : {"data.micro_batches = 2\n", "parallel.pp = 2\nparallel.pp_microbatches = 2\n"}) {
    const bisect::SearchRecord eps =
        search_settings({"other", FaultModel::dense, pieces}, "architecture.norm_eps = 1e-3\n");
    EXPECT_EQ(details(eps, "operator").at("module"), "layers.0.attention_norm") << eps.sentence;
    EXPECT_EQ(details(eps, "operator").at("slot"), "eps") << eps.sentence;
    const bisect::SearchRecord rope =
        search_settings({"other", FaultModel::dense, pieces}, "architecture.rope = \"rotate_half\"\n");
    EXPECT_EQ(details(rope, "operator").at("module"), "layers.0.attention") << rope.sentence;
  }
}

/// The loaded state comes before all that follows from it.
TEST_F(AcrossLayoutsTest, LostState_IsNamedWhereItIsLoaded) {
  const suite::Case source = write_case("r", base() +
                                                 arms("",
                                                      "checkpoint.restart_after = 4\n"
                                                      "checkpoint.exclude_from_loading = [\"optimizer\"]") +
                                                 check("channel = \"loss\"", "identical") + no_golden());
  const bisect::SearchRecord record = bisect::search_run({source, "right", "wrong"}, options(), progress_);
  const Json found = details(record, "tensor");
  EXPECT_EQ(found.at("step"), 5) << record.sentence;
  EXPECT_EQ(found.at("phase"), "input") << record.sentence;
  EXPECT_THAT(found.at("name").get<std::string>(), HasSubstr("loaded/optim/exp_avg"));
  EXPECT_EQ(found.at("saved").at("side"), "actual");
  EXPECT_EQ(found.at("saved").at("step"), 4);
  EXPECT_THAT(record.sentence, HasSubstr("wrong continues after update 4 with another optim exp_avg"));
}

/// What a resumed run forgets of the rest is named where it is loaded.
TEST_F(AcrossLayoutsTest, LostCountOfUpdates_IsNamed) {
  const bisect::SearchRecord record = search_restart("optimizer.step", FaultModel::dense);
  expect_tensor(record, 4, "input", "loaded/optimizer_steps");
  EXPECT_THAT(record.sentence, HasSubstr("other continues after update 3 with another optimizer_steps than"));
}

TEST_F(AcrossLayoutsTest, LostRouterBias_IsNamed) {
  const bisect::SearchRecord record = search_restart("router_biases", FaultModel::mixture);
  expect_tensor(record, 4, "input", "loaded/param/layers.1.moe.expert_bias");
  EXPECT_THAT(record.sentence, HasSubstr("other continues after update 3 with another param layers.1.moe."));
}

TEST_F(AcrossLayoutsTest, CompleteRestart_LoadsWhatItHad) {
  for (const FaultModel model : {FaultModel::dense, FaultModel::mixture})
    EXPECT_THAT(search_restart("", model).sentence, HasSubstr("one and other do not differ"));
}

}  // namespace
}  // namespace parity
