// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "reduction" over traces whose layouts do not say that gradients are terms of a sum over ranks.
#include "harness/laws/laws.hpp"
#include "harness/trace/format/micro_batch_tensor.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// What two ranks record.
struct RankOptions {
  bool micro_batches = true;
  bool records_local = true;     ///< on rank 1
  bool same = false;             ///< whether both ranks compute the same gradients
  bool each_pass = false;        ///< whether each backward pass ends with a reduction
  bool hidden_clipping = false;  ///< whether the recipe has no call that clips
  bool is_shard = false;         ///< whether the layouts cut tensors over the ranks
};

/// Two ranks with two micro-batches each, that reduce their gradients by lines of their own.
class RankTermsTest : public LawTest {
 protected:
  static constexpr int64_t ranks = 2, count = 2, steps = 3;
  using Values = std::vector<float>;
  /// Returns the gradient that a rank uses, from those of all ranks.
  using Reduce = std::function<Values(const std::string& tensor, int64_t step,
                                      const std::vector<Values>& of_rank, int64_t rank)>;

  static Values single(int64_t step, size_t tensor, int64_t rank, int64_t number) {
    Values values;
    for (size_t i = 0; i < 32; ++i)
      values.push_back(noise(step, tensor, i * static_cast<size_t>(rank * count + number + 1)));
    return values;
  }
  static Values add(const Values& a, const Values& b, double weight_a = 1, double weight_b = 1) {
    Values sum(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      sum[i] = static_cast<float>(weight_a * a[i] + weight_b * b[i]);
    return sum;
  }
  static Values mean(const std::string&, int64_t, const std::vector<Values>& of_rank, int64_t) {
    return add(of_rank[0], of_rank[1], 0.5, 0.5);
  }

  /// Returns the gradient that a rank has after its last backward pass.
  static Values local(const RankOptions& options, int64_t step, size_t k, int64_t rank) {
    const int64_t own = options.same ? 0 : rank;
    Values first = single(step, k, own, 0);
    if (options.each_pass)
      first = add(single(step, k, 0, 0), single(step, k, 1, 0), 0.5, 0.5);
    return add(first, single(step, k, own, 1));
  }

  static void record(trace::Recorder& recorder, const RankOptions& options, const Reduce& reduce,
                     int64_t step, size_t k, int64_t rank) {
    const std::string& name = names()[k];
    std::optional<TensorLayout> layout;
    if (options.is_shard)
      layout = {{64}, {{"tp", rank, ranks, Shard{0, {{rank * 32, rank * 32 + 32}}}}}};
    const auto put = [&](Phase phase, const std::string& tensor, const Values& values) {
      recorder.tensor(phase, tensor, view_of(DType::float32, values), nullptr,
                      layout.value_or(TensorLayout{}));
    };
    std::vector<Values> of_rank;
    for (int64_t each = 0; each < ranks; ++each)
      of_rank.push_back(local(options, step, k, each));
    for (int64_t number = 0; options.micro_batches && number < count; ++number)
      put(Phase::grad_local, trace::micro_batch_tensor(name, number),
          single(step, k, options.same ? 0 : rank, number));
    if (options.records_local || rank == 0)
      put(Phase::grad_local, name, of_rank[static_cast<size_t>(rank)]);
    put(Phase::grad, name, reduce(name, step, of_rank, rank));
  }

  Finding ask_reduced(const Reduce& reduce, const RankOptions& options = {}) const {
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      Json facts = Json::object();
      if (options.hidden_clipping)
        facts = {{"recipe", {{"optimizer", "AdamW"}}}};
      trace::Recorder::Options recording{folder / "run" / "trace.h5", {}, facts, {}};
      recording.capture.tensors.push_back({});
      recording.capture.micro_batches = true;
      recording.rank = rank;
      recording.ranks = ranks;
      trace::Recorder recorder(std::move(recording));
      for (int64_t step = 1; step <= steps; ++step) {
        recorder.begin_step(step);
        for (size_t k = 0; k < names().size(); ++k)
          record(recorder, options, reduce, step, k, rank);
        recorder.channel("loss", 1.0);
        recorder.end_step();
      }
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "run");
    return ask_reduction(RecordedRun(trace));
  }
  static constexpr int64_t micro_batch_sums = steps * 5 * ranks, rank_sums = steps * 5 * ranks;
};

TEST_F(RankTermsTest, MeanAndSum_Hold) {
  const Finding found = ask_reduced(mean);
  EXPECT_EQ(found.answer(), Answer::holds) << sentence(found);
  EXPECT_EQ(found.checked, micro_batch_sums + rank_sums);
  EXPECT_THAT(notes(found), HasSubstr("the mean of the ranks' gradients"));
  const Finding sum = ask_reduced([](const std::string&, int64_t, const std::vector<Values>& of_rank,
                                     int64_t) { return add(of_rank[0], of_rank[1]); });
  EXPECT_EQ(sum.answer(), Answer::holds) << sentence(sum);
  EXPECT_THAT(notes(sum), HasSubstr("the sum of the ranks' gradients"));
}

TEST_F(RankTermsTest, MissingRank_IsNamed) {
  const auto without_1 = [](const std::string& name, int64_t step, const std::vector<Values>& of_rank,
                            int64_t rank) {
    return name == "norm.weight" ? add(of_rank[0], of_rank[1], 0.5, 0) : mean(name, step, of_rank, rank);
  };
  for (const bool micro_batches : {true, false})
    EXPECT_EQ(sentence(ask_reduced(without_1, {.micro_batches = micro_batches})),
              "norm.weight: the reduced gradient is not the sum: that of rank 1 is missing");
  EXPECT_EQ(
      sentence(ask_reduced([](const std::string&, int64_t, const std::vector<Values>& of_rank, int64_t) {
        return add(of_rank[0], of_rank[1], 0.5, 0);
      })),
      "every tensor: the reduced gradient is not the sum: that of rank 0 counts 0.5 times, that of rank 1 is "
      "missing");
}

TEST_F(RankTermsTest, NotReducedAtOneUpdate_IsNamed) {
  const Finding found = ask_reduced(
      [](const std::string& name, int64_t step, const std::vector<Values>& of_rank, int64_t rank) {
        return step == 2 ? of_rank[static_cast<size_t>(rank)] : mean(name, step, of_rank, rank);
      });
  EXPECT_THAT(sentence(found),
              HasSubstr("the reduced gradient on rank 0 is not the sum: it is rank 0's own, not reduced"));
  EXPECT_EQ(found.departures.front().step, 2);
}

TEST_F(RankTermsTest, NotANumber_Departs) {
  EXPECT_EQ(ask_reduced([](const std::string& name, int64_t step, const std::vector<Values>& of_rank,
                           int64_t rank) {
              return name == "norm.weight" ? Values(32, NAN) : mean(name, step, of_rank, rank);
            }).answer(),
            Answer::departs);
}

TEST_F(RankTermsTest, NeverReduced_IsNotAsked) {
  const Finding found = ask_reduced([](const std::string&, int64_t, const std::vector<Values>& of_rank,
                                       int64_t rank) { return of_rank[static_cast<size_t>(rank)]; });
  EXPECT_EQ(found.answer(), Answer::not_asked) << sentence(found);
  EXPECT_EQ(found.why, "the sum over ranks was not asked: each rank uses its own gradients");
}

TEST_F(RankTermsTest, OneTensorIsNeverReduced_IsNoted) {
  const Finding found = ask_reduced(
      [](const std::string& name, int64_t step, const std::vector<Values>& of_rank, int64_t rank) {
        return name == "norm.weight" ? of_rank[static_cast<size_t>(rank)] : mean(name, step, of_rank, rank);
      });
  EXPECT_EQ(found.answer(), Answer::holds) << sentence(found);
  EXPECT_THAT(notes(found), HasSubstr("each rank uses its own gradient of norm.weight"));
}

TEST_F(RankTermsTest, OneRanksGradientIsNotRecorded_IsNotAsked) {
  const Finding found = ask_reduced(mean, {.records_local = false});
  EXPECT_EQ(found.answer(), Answer::not_asked) << sentence(found);
  EXPECT_EQ(found.why, "the sum over ranks was not asked: grad_local of every tensor lacks values of ranks");
}

TEST_F(RankTermsTest, EqualGradients_AreNotAsked) {
  for (const bool micro_batches : {true, false}) {
    const Finding found = ask_reduced(mean, {.micro_batches = micro_batches, .same = true});
    EXPECT_EQ(found.answer(), Answer::not_asked) << sentence(found);
    EXPECT_EQ(found.why, "the sum over ranks was not asked: all ranks compute the same gradients");
  }
}

TEST_F(RankTermsTest, Shards_Hold) {
  const Finding found = ask_reduced([](const std::string&, int64_t, const std::vector<Values>& of_rank,
                                       int64_t rank) { return of_rank[static_cast<size_t>(rank)]; },
                                    {.is_shard = true});
  EXPECT_EQ(found.answer(), Answer::holds) << sentence(found);
  EXPECT_EQ(found.checked, micro_batch_sums);
}

TEST_F(RankTermsTest, HiddenClipping_IsNotedButNoDivisor) {
  const auto scaled = [](double growth) {
    return [growth](const std::string&, int64_t step, const std::vector<Values>& of_rank, int64_t) {
      const double factor = 0.1 + growth * static_cast<double>(step);
      return add(of_rank[0], of_rank[1], factor, factor);
    };
  };
  const Finding clipped = ask_reduced(scaled(0.01), {.hidden_clipping = true});
  EXPECT_EQ(clipped.answer(), Answer::holds) << sentence(clipped);
  EXPECT_THAT(notes(clipped), HasSubstr("one factor of each update scales"));
  EXPECT_EQ(ask_reduced(scaled(0.01)).answer(), Answer::departs);
  EXPECT_THAT(sentence(ask_reduced(scaled(0), {.hidden_clipping = true})), HasSubstr("it is 0.1 times that"));
}

TEST_F(RankTermsTest, ReductionInEachPass_Holds) {
  const Finding found = ask_reduced(mean, {.each_pass = true});
  EXPECT_EQ(found.answer(), Answer::holds) << sentence(found);
  EXPECT_EQ(found.checked, micro_batch_sums + rank_sums);
  EXPECT_THAT(notes(found), HasSubstr("gradients are reduced in each backward pass"));
}

}  // namespace
}  // namespace parity::laws
