// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class GradNormLawTest : public LawTest {
 protected:
  /// Returns the norm of the gradients of a step whose names the test keeps.
  static double norm_of(PlantedRun& run, int64_t step,
                        const std::function<double(const std::string&)>& weight) {
    double square = 0;
    for (const std::string& name : names())
      for (const float value : tensor(run, step, Phase::grad, name))
        square += weight(name) * value * value;
    return std::sqrt(square);
  }
  static PlantedRun with_norm(const std::function<double(const std::string&)>& weight) {
    PlantedRun run = trained();
    for (int64_t s = 1; s <= 4; ++s)
      channel(run, "grad_norm")[static_cast<size_t>(s - 1)] = norm_of(run, s, weight);
    return run;
  }
};

TEST_F(GradNormLawTest, RightNorm_Holds) {
  const Finding finding = ask(ask_grad_norm, trained());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 4);
}

TEST_F(GradNormLawTest, MissingFamily_IsNamed) {
  const Finding finding = ask(
      ask_grad_norm, with_norm([](const std::string& name) { return name.find("wv") == name.npos ? 1 : 0; }));
  ASSERT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding),
              HasSubstr("it equals the norm without layers.*.wv.weight; 4 updates depart"));
  EXPECT_EQ(finding.departures.front().step, 1);
  EXPECT_EQ(finding.departures.front().tensor, "layers.*.wv.weight");
  EXPECT_LT(*finding.departures.front().factor, 1);
}

TEST_F(GradNormLawTest, MissingTensor_IsNamed) {
  const Finding finding =
      ask(ask_grad_norm, with_norm([](const std::string& name) { return name == "norm.weight" ? 0 : 1; }));
  EXPECT_THAT(sentence(finding), HasSubstr("the norm without norm.weight"));
}

TEST_F(GradNormLawTest, DoubledTensor_IsNamed) {
  const Finding finding =
      ask(ask_grad_norm, with_norm([](const std::string& name) { return name == "norm.weight" ? 2 : 1; }));
  EXPECT_THAT(sentence(finding), HasSubstr("the norm that counts norm.weight 2 times"));
}

TEST_F(GradNormLawTest, SquaredNorm_IsNamed) {
  PlantedRun run = trained();
  for (double& value : channel(run, "grad_norm"))
    value *= value;
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("the squared norm (its root is missing)"));
}

TEST_F(GradNormLawTest, RootOfTwo_IsNamed) {
  PlantedRun run = trained();
  for (double& value : channel(run, "grad_norm"))
    value *= std::sqrt(2);
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_THAT(sentence(finding), HasSubstr("grad_norm is 1.414 times the norm"));
  EXPECT_THAT(sentence(finding), HasSubstr("the norm times the root of 2"));
}

TEST_F(GradNormLawTest, NormOfClippedGradients_IsNamed) {
  PlantedRun run = trained();
  for (double& value : channel(run, "grad_norm"))
    value = 0.5;
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("the norm after clipping"));
}

TEST_F(GradNormLawTest, PartOfTheGradients_IsNotAsked) {
  PlantedRun run = trained();
  std::erase_if(run.tensors,
                [](const PlantedTensor& each) { return each.key.name.find("wq") != std::string::npos; });
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked) << sentence(finding);
  EXPECT_THAT(finding.why, HasSubstr("others may be missing"));
}

TEST_F(GradNormLawTest, NoGradients_IsNotAsked) {
  PlantedRun run = trained();
  drop(run, Phase::grad);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked);
}

TEST_F(GradNormLawTest, NotANumber_Departs) {
  PlantedRun run = trained();
  channel(run, "grad_norm")[2] = NAN;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs);
  run = trained();
  tensor(run, 2, Phase::grad, "norm.weight")[3] = NAN;
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("the gradient of norm.weight is not finite"));
}

TEST_F(GradNormLawTest, AnUpdateThatSaysItWasSkipped_HasNoNorm) {
  PlantedRun run = trained();
  tensor(run, 2, Phase::grad, "norm.weight")[3] = NAN;
  channel(run, "grad_norm")[1] = 0;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs);
  std::vector<double> skipped(channel(run, "grad_norm").size(), 0);
  skipped[1] = 1;
  run.channels["update_skipped"] = skipped;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds);
  channel(run, "grad_norm")[1] = 0.5;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs) << "a skipped update has no norm";
}

TEST_F(GradNormLawTest, SketchesAlone_AreEnough) {
  PlantedRun run = with_norm([](const std::string& name) { return name.find("wv") == name.npos ? 1 : 0; });
  run.whole = false;
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("without layers.*.wv.weight"));
}

/// Two ranks of tensor parallelism: each holds half of the rows of two matrices, and both hold the norm's
/// weight.
class GradNormOfRanksTest : public LawTest {
 protected:
  /// \param norm  of the gradients' squares by tensor and rank
  Finding ask_ranks(double norm) const {
    for (const int64_t rank : {1, 0}) {
      trace::Recorder::Options options{folder / "run" / "trace.h5", {}, {}, {}};
      options.capture.tensors.push_back({});
      options.rank = rank;
      options.ranks = 2;
      trace::Recorder recorder(std::move(options));
      recorder.begin_step(1);
      for (const std::string name : {"layers.0.wv.weight", "layers.1.wv.weight", "norm.weight"}) {
        const bool shard = name != "norm.weight";
        const std::vector<float> values(4, shard ? static_cast<float>(rank + 1) : 3.0F);
        const TensorLayout layout{{4, 2}, {{"tp", rank, 2, Shard{0, {{2 * rank, 2 * rank + 2}}}}}};
        recorder.tensor(Phase::grad, name, {DType::float32, {2, 2}, values.data()}, nullptr,
                        shard ? layout : TensorLayout{});
      }
      recorder.channel("grad_norm", norm);
      recorder.end_step();
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "run");
    return ask_grad_norm(RecordedRun(trace));
  }
  // Squares: rank 0's shards 4 each, rank 1's 16 each, norm.weight 36.
};

TEST_F(GradNormOfRanksTest, EachElementOnce_Holds) {
  EXPECT_EQ(ask_ranks(std::sqrt(8 + 32 + 36)).answer(), Answer::holds);
}

TEST_F(GradNormOfRanksTest, MissingShard_NamesTensorAndRank) {
  const Finding finding = ask_ranks(std::sqrt(8 + 16 + 36));
  EXPECT_THAT(sentence(finding), HasSubstr("the norm without layers.0.wv.weight of rank 1"));
  EXPECT_EQ(finding.departures.front().rank, 1);
}

TEST_F(GradNormOfRanksTest, NormOfOneRank_IsNamed) {
  EXPECT_THAT(sentence(ask_ranks(std::sqrt(8 + 36))), HasSubstr("the norm of what rank 0 holds alone"));
}

TEST_F(GradNormOfRanksTest, ReplicaCountedTwice_IsNamed) {
  EXPECT_THAT(sentence(ask_ranks(std::sqrt(8 + 32 + 72))),
              HasSubstr("what all ranks hold, replicas counted once"));
}

}  // namespace
}  // namespace parity::laws
