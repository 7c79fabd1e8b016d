// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "harness/trace/format/micro_batch_tensor.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// One rank that adds up the gradients of three micro-batches.
class MicroBatchLawTest : public LawTest {
 protected:
  static constexpr int64_t count = 3;
  using Weight = std::function<double(const std::string& tensor, int64_t number)>;

  static std::vector<float> own(int64_t step, size_t tensor, int64_t number) {
    std::vector<float> values;
    for (size_t i = 0; i < 32; ++i)
      values.push_back(noise(step, tensor, i * static_cast<size_t>(number + 1)));
    return values;
  }
  static PlantedRun accumulated(const Weight& weight) {
    PlantedRun run;
    run.channels = {{"loss", std::vector<double>{2, 1}}};
    for (int64_t step = 1; step <= 2; ++step)
      for (size_t k = 0; k < names().size(); ++k) {
        std::vector<float> sum(32);
        for (int64_t number = 0; number < count; ++number) {
          const std::vector<float> one = own(step, k, number);
          for (size_t i = 0; i < 32; ++i)
            sum[i] += static_cast<float>(weight(names()[k], number)) * one[i];
          run.tensors.push_back(
              {{step, Phase::grad_local, trace::micro_batch_tensor(names()[k], number)}, one});
        }
        run.tensors.push_back({{step, Phase::grad, names()[k]}, sum});
      }
    return run;
  }
  Finding ask_weights(const Weight& weight) { return ask(ask_reduction, accumulated(weight)); }
};

TEST_F(MicroBatchLawTest, Sum_Holds) {
  const Finding finding = ask_weights([](const std::string&, int64_t) { return 1.0; });
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 2 * 5);
  EXPECT_EQ(notes(finding), "gradients are the sum of the micro-batches' gradients\n");
}

TEST_F(MicroBatchLawTest, MissingMicroBatch_IsNamed) {
  const Finding finding = ask_weights([](const std::string& name, int64_t number) {
    return name == "norm.weight" && number == 2 ? 0.0 : 1.0;
  });
  EXPECT_EQ(
      sentence(finding),
      "norm.weight: the gradient is not the sum of the micro-batches': that of micro-batch 2 is missing");
  EXPECT_EQ(finding.departures.front().step, 1);
}

TEST_F(MicroBatchLawTest, MicroBatchCountedTwice_IsNamed) {
  EXPECT_EQ(sentence(ask_weights([](const std::string& name, int64_t number) {
              return name == "norm.weight" && number == 0 ? 2.0 : 1.0;
            })),
            "norm.weight: the gradient is not the sum of the micro-batches': that of micro-batch 0 counts 2 "
            "times");
}

TEST_F(MicroBatchLawTest, LastAlone_IsNamed) {
  EXPECT_EQ(sentence(ask_weights([](const std::string&, int64_t number) { return number == 2 ? 1.0 : 0.0; })),
            "every tensor: the gradient is not the sum of the micro-batches': it is micro-batch 2's own, "
            "without the others");
}

TEST_F(MicroBatchLawTest, Mean_IsAConventionUnlessTheConfigSums) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0 / count; });
  const Finding free = ask(ask_reduction, run);
  EXPECT_EQ(free.answer(), Answer::holds) << sentence(free);
  EXPECT_THAT(notes(free), HasSubstr("the mean of the micro-batches' gradients"));
  run.config = {{"loss", {{"normalization", "token_mean"}}}};
  EXPECT_EQ(sentence(ask(ask_reduction, run)),
            "every tensor: the gradient is not the sum of the micro-batches': it is the mean");
}

TEST_F(MicroBatchLawTest, ScaledSum_IsThatOfGradientScaling) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0 / 64; });
  run.channels["valid_tokens"] = std::vector<double>{64, 64};
  run.config = {{"loss", {{"normalization", "gradient_scaling"}}}};
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::holds) << sentence(ask(ask_reduction, run));
  run.config["loss"]["normalization"] = "token_mean";
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::departs);
}

TEST_F(MicroBatchLawTest, OtherNumberThanTheConfigs_Departs) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  run.config = {{"data", {{"micro_batches", 4}}}};
  EXPECT_EQ(sentence(ask(ask_reduction, run)),
            "update 1 sums the gradients of 3 micro-batches, where the config's data.micro_batches is 4");
}

TEST_F(MicroBatchLawTest, NotANumber_Departs) {
  EXPECT_EQ(ask_weights([](const std::string& name, int64_t) {
              return name == "norm.weight" ? NAN : 1.0;
            }).answer(),
            Answer::departs);
}

TEST_F(MicroBatchLawTest, InfiniteTerm_Departs) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  for (PlantedTensor& each : run.tensors)
    if (each.key.name == "norm.weight@1:micro_batch")
      std::get<std::vector<float>>(each.values)[3] = INFINITY;
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::departs);
}

TEST_F(MicroBatchLawTest, SkippedUpdate_IsPassedOverIfNotFinite) {
  PlantedRun run = accumulated([](const std::string& name, int64_t number) {
    return name == "norm.weight" && number == 1 ? 0.0 : 1.0;
  });
  run.channels["update_skipped"] = std::vector<double>{1, 1};
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::departs) << "finite gradients are judged";
  for (PlantedTensor& each : run.tensors)
    if (each.key.name == "norm.weight@1:micro_batch")
      std::get<std::vector<float>>(each.values)[3] = INFINITY;
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::not_asked);
}

TEST_F(MicroBatchLawTest, GradientThatGradientScalingForgot_Departs) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  run.channels["valid_tokens"] = std::vector<double>{64, 64};
  run.config = {{"loss", {{"normalization", "gradient_scaling"}}}};
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::departs);
}

TEST_F(MicroBatchLawTest, GradientWithoutMicroBatches_IsNoted) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  std::erase_if(run.tensors,
                [](const PlantedTensor& each) { return each.key.name.starts_with("norm.weight@"); });
  EXPECT_THAT(notes(ask(ask_reduction, run)), HasSubstr("micro-batches were not summed of norm.weight"));
}

TEST_F(MicroBatchLawTest, FewerPiecesThanTheConfigs_Departs) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  run.config = {{"parallel", {{"pp", 2}, {"pp_microbatches", 2}}}};
  EXPECT_THAT(sentence(ask(ask_reduction, run)),
              HasSubstr("update 1 sums the gradients of 1 pieces of micro-batch 0 in layers.0"));
}

TEST_F(MicroBatchLawTest, MissingRecord_IsNoted) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  std::erase_if(run.tensors,
                [](const PlantedTensor& each) { return each.key.name == "norm.weight@1:micro_batch"; });
  const Finding finding = ask(ask_reduction, run);
  EXPECT_EQ(finding.checked, 2 * 4);
  EXPECT_THAT(notes(finding), HasSubstr("micro-batches were not summed of norm.weight"));
}

TEST_F(MicroBatchLawTest, NoSum_IsNotAsked) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  drop(run, Phase::grad);
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::not_asked);
}

TEST_F(MicroBatchLawTest, PartOfAMicroBatch_IsATerm) {
  PlantedRun run = accumulated([](const std::string&, int64_t) { return 1.0; });
  for (PlantedTensor& each : run.tensors)
    if (each.key.name == "norm.weight@2:micro_batch")
      each.key.name = "norm.weight@1.1:micro_batch";
    else if (each.key.name.ends_with("@2:micro_batch"))
      each.key.name.replace(each.key.name.find('@'), std::string::npos, "@1.3:micro_batch");
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::holds) << sentence(ask(ask_reduction, run));
  for (PlantedTensor& each : run.tensors)
    if (each.key.name == "norm.weight")
      for (float& value : std::get<std::vector<float>>(each.values))
        value = -value;
  EXPECT_EQ(ask(ask_reduction, run).answer(), Answer::departs);
}

TEST(MicroBatchTensor, Names_AreParsed) {
  const auto parsed = trace::parse_micro_batch_tensor(trace::micro_batch_tensor("a@b.weight", 3, 2));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->parameter, "a@b.weight");
  EXPECT_EQ(parsed->number, 3);
  EXPECT_EQ(parsed->part, 2);
  EXPECT_EQ(trace::micro_batch_tensor("w", 3), "w@3:micro_batch");
  for (const char* other :
       {"w", "w@:micro_batch", "w@-1:micro_batch", "w@1.:micro_batch", "w@1.0:micro_batch",
        "w@1.2.3:micro_batch", "w@1x:micro_batch", "w@1:aten::mm:out.0"})
    EXPECT_FALSE(trace::parse_micro_batch_tensor(other)) << other;
}

/// Two ranks with a shard each of what their micro-batches' gradients add up to, as FSDP leaves it.
class ShardedMicroBatchLawTest : public LawTest {
 protected:
  static constexpr int64_t ranks = 2, count = 2;
  using Weight = std::function<double(const std::string& tensor, int64_t number, int64_t rank)>;
  using Recorded = std::function<bool(const std::string& tensor, int64_t number, int64_t rank)>;

  Finding ask_weights(
      const Weight& weight, const Json& config = Json::object(),
      const Recorded& recorded = [](const std::string&, int64_t, int64_t) { return true; }) const {
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder / "run" / "trace.h5", config, {}, {}};
      options.capture.tensors.push_back({});
      options.rank = rank;
      options.ranks = ranks;
      trace::Recorder recorder(std::move(options));
      recorder.begin_step(1);
      for (size_t k = 0; k < names().size(); ++k)
        write(recorder, k, rank, weight, recorded);
      recorder.channel("loss", 1.0);
      recorder.end_step();
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "run");
    return ask_reduction(RecordedRun(trace));
  }

 private:
  static void write(trace::Recorder& recorder, size_t k, int64_t rank, const Weight& weight,
                    const Recorded& recorded) {
    std::vector<float> sum(32);
    for (int64_t from = 0; from < ranks; ++from)
      for (int64_t number = 0; number < count; ++number) {
        std::vector<float> own;
        for (size_t i = 0; i < 32; ++i)
          own.push_back(noise(1, k, i * static_cast<size_t>(2 * from + number + 1)));
        for (size_t i = 0; i < 32; ++i)
          sum[i] += static_cast<float>(weight(names()[k], number, from)) * own[i];
        if (from == rank && recorded(names()[k], number, rank))
          recorder.tensor(Phase::grad_local, trace::micro_batch_tensor(names()[k], number),
                          view_of(DType::float32, own), nullptr,
                          {{32}, {{"dp_shard", rank, ranks, Partial{}}}});
      }
    const std::vector<float> shard(sum.begin() + 16 * rank, sum.begin() + 16 * rank + 16);
    recorder.tensor(Phase::grad, names()[k], view_of(DType::float32, shard), nullptr,
                    {{32}, {{"dp_shard", rank, ranks, Shard{0, {{16 * rank, 16 * rank + 16}}}}}});
  }
};

TEST_F(ShardedMicroBatchLawTest, SumAndMeanOverRanks_Hold) {
  const Finding sum = ask_weights([](const std::string&, int64_t, int64_t) { return 1.0; });
  EXPECT_EQ(sum.answer(), Answer::holds) << sentence(sum);
  EXPECT_EQ(sum.checked, 5);
  EXPECT_EQ(notes(sum), "gradients are the sum of the micro-batches' gradients\n");
  const auto half = [](const std::string&, int64_t, int64_t) { return 0.5; };
  const Finding mean = ask_weights(half);
  EXPECT_EQ(mean.answer(), Answer::holds) << sentence(mean);
  EXPECT_THAT(notes(mean), HasSubstr("the mean over ranks of the sum of the micro-batches' gradients"));
  const Json sums = {{"loss", {{"normalization", "global_tokens"}}}};
  EXPECT_EQ(sentence(ask_weights(half, sums)),
            "every tensor: the reduced gradient is not the sum of the micro-batches': it is 0.5 times that");
}

TEST_F(ShardedMicroBatchLawTest, MicroBatchOfOneRank_IsNamed) {
  EXPECT_EQ(
      sentence(ask_weights([](const std::string& name, int64_t number, int64_t rank) {
        return name == "norm.weight" && number == 0 && rank == 1 ? 0.0 : 1.0;
      })),
      "norm.weight: the reduced gradient is not the sum of the micro-batches': that of micro-batch 0 of "
      "rank 1 is missing");
}

TEST_F(ShardedMicroBatchLawTest, RankWithoutARecord_IsRefused) {
  EXPECT_THROW(ask_weights([](const std::string&, int64_t, int64_t) { return 1.0; }, Json::object(),
                           [](const std::string& name, int64_t, int64_t rank) {
                             return name != "norm.weight" || rank == 0;
                           }),
               UserError);
}

TEST_F(ShardedMicroBatchLawTest, RankWithoutAMicroBatch_IsNoted) {
  const Finding finding = ask_weights(
      [](const std::string&, int64_t, int64_t) { return 1.0; }, Json::object(),
      [](const std::string& name, int64_t number, int64_t) { return name != "norm.weight" || number == 0; });
  EXPECT_EQ(finding.checked, 4);
  EXPECT_THAT(notes(finding), HasSubstr("micro-batches were not summed of norm.weight"));
}

}  // namespace
}  // namespace parity::laws
