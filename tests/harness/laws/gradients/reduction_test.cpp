// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// Three replicas that add up their gradients.
class ReductionLawTest : public LawTest {
 protected:
  static constexpr int64_t ranks = 3;

  static std::vector<float> own(int64_t step, size_t tensor, int64_t rank) {
    std::vector<float> values;
    for (size_t i = 0; i < 32; ++i)
      values.push_back(noise(step, tensor, i * static_cast<size_t>(rank + 1)));
    return values;
  }
  /// Weight of a rank's gradient in the reduced gradient of a tensor, on another rank.
  using Weight = std::function<double(const std::string& tensor, int64_t term, int64_t on_rank)>;

  Finding ask_ranks(const Weight& weight) const {
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder / "run" / "trace.h5", {}, {}, {}};
      options.capture.tensors.push_back({});
      options.rank = rank;
      options.ranks = ranks;
      trace::Recorder recorder(std::move(options));
      for (int64_t step = 1; step <= 2; ++step) {
        recorder.begin_step(step);
        for (size_t k = 0; k < names().size(); ++k) {
          std::vector<float> sum(32);
          for (int64_t term = 0; term < ranks; ++term) {
            const std::vector<float> one = own(step, k, term);
            for (size_t i = 0; i < 32; ++i)
              sum[i] += static_cast<float>(weight(names()[k], term, rank)) * one[i];
          }
          const TensorLayout layout{{32}, {{"dp", rank, ranks, Partial{}}}};
          const std::vector<float> local = own(step, k, rank);
          recorder.tensor(Phase::grad_local, names()[k], view_of(DType::float32, local), nullptr, layout);
          recorder.tensor(Phase::grad, names()[k], view_of(DType::float32, sum));
        }
        recorder.channel("loss", 1.0);
        recorder.end_step();
      }
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "run");
    return ask_reduction(RecordedRun(trace));
  }
};

TEST_F(ReductionLawTest, SumAndMean_Hold) {
  const Finding sum = ask_ranks([](const std::string&, int64_t, int64_t) { return 1.0; });
  EXPECT_EQ(sum.answer(), Answer::holds) << sentence(sum);
  EXPECT_EQ(sum.checked, 2 * 5 * 3);
  EXPECT_THAT(notes(sum), HasSubstr("the sum of the ranks' gradients"));
  const Finding mean = ask_ranks([](const std::string&, int64_t, int64_t) { return 1.0 / 3; });
  EXPECT_EQ(mean.answer(), Answer::holds) << sentence(mean);
  EXPECT_THAT(notes(mean), HasSubstr("the mean of the ranks' gradients"));
}

TEST_F(ReductionLawTest, MissingRank_IsNamed) {
  const Finding finding = ask_ranks([](const std::string& name, int64_t term, int64_t) {
    return name == "norm.weight" && term == 1 ? 0.0 : 1.0;
  });
  EXPECT_EQ(sentence(finding), "norm.weight: the reduced gradient is not the sum: that of rank 1 is missing");
  EXPECT_EQ(finding.departures.front().step, 1);
}

TEST_F(ReductionLawTest, RankCountedTwice_IsNamed) {
  const Finding finding = ask_ranks([](const std::string& name, int64_t term, int64_t) {
    return name.find("wv") != std::string::npos && term == 2 ? 2.0 : 1.0;
  });
  EXPECT_EQ(sentence(finding),
            "layers.*.wv.weight: the reduced gradient is not the sum: that of rank 2 counts 2 times");
}

TEST_F(ReductionLawTest, DroppedReduction_IsNamed) {
  const Finding finding = ask_ranks([](const std::string& name, int64_t term, int64_t on_rank) {
    return name == "norm.weight" && on_rank == 2 ? (term == 2 ? 1.0 : 0.0) : 1.0;
  });
  EXPECT_EQ(sentence(finding),
            "norm.weight: the reduced gradient on rank 2 is not the sum: it is rank 2's own, not reduced");
  EXPECT_EQ(finding.departures.front().rank, 2);
}

TEST_F(ReductionLawTest, MeanOfOneTensor_IsNamed) {
  const Finding finding = ask_ranks(
      [](const std::string& name, int64_t, int64_t) { return name == "norm.weight" ? 1.0 / 3 : 1.0; });
  EXPECT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding), HasSubstr("norm.weight: "));
}

TEST_F(ReductionLawTest, OtherValues_Depart) {
  EXPECT_EQ(ask_ranks([](const std::string& name, int64_t, int64_t) {
              return name == "norm.weight" ? NAN : 1.0;
            }).answer(),
            Answer::departs);
}

TEST_F(ReductionLawTest, OneRank_IsNotAsked) {
  EXPECT_EQ(ask(ask_reduction, trained()).why,
            "the trace has one rank, and no gradients of single micro-batches");
}

}  // namespace
}  // namespace parity::laws
