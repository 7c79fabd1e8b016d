// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Runs that read the same batches, but cut them otherwise over ranks and micro-batches.
#include <numeric>

#include <fmt/format.h>

#include "tests/harness/explain/explain_fixture.hpp"

namespace parity::explain {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Rows = std::vector<int64_t>;
using Inputs = std::map<std::string, Rows>;  ///< rows of 4 tokens, by name

/// What a run of several ranks records.
struct CutRun {
  std::vector<Inputs> of_rank;                     ///< of update 1; update s adds 100 (s - 1) to each
  std::vector<double> counters = {};               ///< a buffer of each rank, before the first update
  std::vector<std::vector<int64_t>> digests = {};  ///< of each rank: the channel batch_digest
  int64_t length = 4;                              ///< of a row
  int64_t micro_batches = 1;
  bool keep_values = true;
};

class CutBatchesTest : public ExplainTest {
 protected:
  static constexpr int64_t steps = 3;

  /// Returns `count` rows, the first of which has the number `first`.
  static Rows rows_from(int64_t first, int64_t count) {
    Rows rows(static_cast<size_t>(count * 4));
    std::iota(rows.begin(), rows.end(), first * 4);
    return rows;
  }
  static Rows joined(Rows a, const Rows& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  trace::Trace record(const std::string& name, const CutRun& run) const {
    const auto ranks = static_cast<int64_t>(run.of_rank.size());
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder / name / "trace.h5", {}, {}, {}};
      (run.keep_values ? options.capture.tensors : options.capture.sketches).push_back({});
      options.provenance = {
          {"recipe",
           {{"micro_batches", run.micro_batches},
            {"parameters", {{"count", 1}, {"elements", 1}, {"dtypes", {{"float32", 1}}}}}}}};
      options.rank = rank;
      options.ranks = ranks;
      trace::Recorder recorder(std::move(options));
      for (int64_t step = 0; step <= steps; ++step) {
        recorder.begin_step(step);
        record_step(recorder, run, step, rank);
        recorder.end_step();
      }
      recorder.finish();
    }
    return trace::Trace::open(folder / name);
  }

  Explanation explain_runs(const CutRun& first, const CutRun& second) const {
    const trace::Trace a = record("first", first), b = record("second", second);
    return explain(a, b);
  }
  static std::vector<std::string> rows_of_topic(const Explanation& found, const std::string& topic) {
    std::vector<std::string> lines = rows(found);
    std::erase_if(lines, [&](const std::string& line) { return !line.starts_with(topic + ": "); });
    return lines;
  }
  static constexpr const char* joined_text =
      "batches of 3 updates, in order, their rows joined over ranks and micro-batches";

 private:
  static void record_step(trace::Recorder& recorder, const CutRun& run, int64_t step, int64_t rank) {
    const auto own = static_cast<size_t>(rank);
    const std::string suffix = run.of_rank.size() > 1 ? fmt::format("#{}", rank) : "";
    const std::vector<float> weight = {1};
    if (step == 0) {
      recorder.tensor(Phase::param, "weight", view_of(DType::float32, weight));
      if (own < run.counters.size()) {
        const std::vector<float> counter = {static_cast<float>(run.counters[own])};
        recorder.tensor(Phase::param, "count" + suffix, view_of(DType::float32, counter));
      }
      return;
    }
    for (const auto& [name, list] : run.of_rank[own]) {
      Rows values = list;
      for (int64_t& value : values)
        value += 100 * (step - 1);
      std::string full = name;
      if (const size_t at = full.find(".pass."); at != std::string::npos)
        full.insert(at, suffix);
      else
        full += suffix;
      recorder.tensor(
          Phase::input, full,
          {DType::int64, {static_cast<int64_t>(list.size()) / run.length, run.length}, values.data()});
    }
    if (own < run.digests.size())
      recorder.channel("batch_digest", run.digests[own][static_cast<size_t>(step - 1)],
                       run.of_rank.size() > 1 ? trace::ChannelKind::per_rank : trace::ChannelKind::numeric);
    recorder.channel("loss", 1.0);
  }
};

TEST_F(CutBatchesTest, RowsOfRanks_AreJoined) {
  const CutRun one{.of_rank = {{{"tokens", rows_from(0, 4)}}}};
  const CutRun two{.of_rank = {{{"tokens", rows_from(0, 2)}}, {{"tokens", rows_from(2, 2)}}}};
  const CutRun dealt{.of_rank = {{{"tokens", joined(rows_from(0, 1), rows_from(2, 1))}},
                                 {{"tokens", joined(rows_from(1, 1), rows_from(3, 1))}}}};
  for (const CutRun& ranks : {two, dealt})
    for (const Explanation& found : {explain_runs(one, ranks), explain_runs(ranks, one)}) {
      EXPECT_THAT(rows_of_topic(found, "data"), IsEmpty());
      EXPECT_THAT(part(found, "data").same, Contains(joined_text));
    }
}

TEST_F(CutBatchesTest, RanksThatReadOtherRows_AreNamed) {
  const CutRun one{.of_rank = {{{"tokens", rows_from(0, 4)}}}};
  for (const Rows& of_rank_1 : {rows_from(0, 2), rows_from(3, 2), rows_from(2, 1)}) {
    const CutRun two{.of_rank = {{{"tokens", rows_from(0, 2)}}, {{"tokens", of_rank_1}}}};
    EXPECT_THAT(
        rows_of_topic(explain_runs(one, two), "data"),
        ElementsAre("data: batches, from update 1 on (3 of 3 differ): read by no update of the second | "
                    "read by no update of the first"));
  }
}

TEST_F(CutBatchesTest, RanksThatCutTheModel_ReadTheSameRows) {
  const CutRun one{.of_rank = {{{"tokens", rows_from(0, 4)}}}};
  const Inputs first{{"tokens", rows_from(0, 2)}}, second{{"tokens", rows_from(2, 2)}};
  EXPECT_THAT(part(explain_runs(one, {.of_rank = {first, first, second, second}}), "data").same,
              Contains(joined_text));
  EXPECT_THAT(rows_of_topic(explain_runs(one, {.of_rank = {first, first, second}}), "data"), Not(IsEmpty()));
}

/// Labels that belong to other rows are another batch, though there are as many of each.
TEST_F(CutBatchesTest, RowsAreJoinedWithTheirLabels) {
  const CutRun one{.of_rank = {{{"tokens", rows_from(0, 4)}, {"labels", rows_from(10, 4)}}}};
  CutRun two{.of_rank = {{{"tokens", rows_from(0, 2)}, {"labels", rows_from(10, 2)}},
                         {{"tokens", rows_from(2, 2)}, {"labels", rows_from(12, 2)}}}};
  EXPECT_THAT(part(explain_runs(one, two), "data").same, Contains(joined_text));
  std::swap(two.of_rank[0]["labels"], two.of_rank[1]["labels"]);
  EXPECT_THAT(rows_of_topic(explain_runs(one, two), "data"), Not(IsEmpty()));
}

TEST_F(CutBatchesTest, PartsThatDoNotJoin_AreNotCompared) {
  const CutRun one{.of_rank = {{{"tokens", rows_from(0, 4)}}}};
  CutRun two{.of_rank = {{{"tokens", rows_from(0, 2)}}, {{"tokens", rows_from(2, 2)}}}};
  two.length = 2;
  const Explanation shares = explain_runs(one, two);
  EXPECT_THAT(rows_of_topic(shares, "data"), IsEmpty());
  EXPECT_THAT(unknown(shares), HasSubstr("batches (recorded apart for each rank or micro-batch"));
  EXPECT_THAT(part(shares, "data").same, Not(Contains(HasSubstr("batches of 3"))));
  two.length = 4;
  two.keep_values = false;
  const Explanation digests = explain_runs(one, two);
  EXPECT_THAT(rows_of_topic(digests, "data"), IsEmpty());
  EXPECT_THAT(unknown(digests), HasSubstr("batches (recorded apart"));
}

TEST_F(CutBatchesTest, InputOfOneRunOnly_IsNotCompared) {
  const CutRun one{.of_rank = {{{"tokens", rows_from(0, 4)}, {"labels", rows_from(1, 4)}}}};
  const CutRun other{.of_rank = {{{"tokens", rows_from(0, 4)}}}};
  const Explanation found = explain_runs(one, other);
  EXPECT_THAT(rows_of_topic(found, "data"), IsEmpty());
  EXPECT_THAT(part(found, "data").same, Contains("batches of 3 updates, in order"));
  EXPECT_THAT(unknown(found), HasSubstr("inputs labels (not recorded by both"));
}

TEST_F(CutBatchesTest, DigestsOfOtherMicroBatches_AreNotCompared) {
  const CutRun one{.of_rank = {{}}, .digests = {{11, 12, 13}}};
  const CutRun two{.of_rank = {{}}, .digests = {{21, 22, 23}}, .micro_batches = 2};
  const Explanation found = explain_runs(one, two);
  EXPECT_THAT(rows_of_topic(found, "data"), ElementsAre("data: micro-batches of an update: 1 | 2"));
  EXPECT_THAT(unknown(found), HasSubstr("batches (batch_digest depends on ranks and micro-batches"));
  EXPECT_THAT(rows_of_topic(explain_runs(one, {.of_rank = {{}}, .digests = {{21, 22, 23}}}), "data"),
              ElementsAre(HasSubstr("batches, from update 1 on")));
}

TEST_F(CutBatchesTest, DigestsOfOtherRanks_AreNotCompared) {
  const CutRun one{.of_rank = {{}}, .digests = {{11, 12, 13}}};
  const CutRun two{.of_rank = {{}, {}}, .digests = {{11, 2, 3}, {4, 5, 6}}};
  const Explanation found = explain_runs(one, two);
  EXPECT_THAT(rows_of_topic(found, "data"), IsEmpty());
  EXPECT_THAT(unknown(found), HasSubstr("batches (batch_digest depends"));
}

/// A trace shows the largest digest of all ranks as the channel.
TEST_F(CutBatchesTest, DigestOfTheOtherRank_IsCompared) {
  const CutRun two{.of_rank = {{}, {}}, .digests = {{7, 7, 7}, {4, 5, 6}}};
  CutRun other = two;
  other.digests[1][1] = 3;
  EXPECT_THAT(rows_of_topic(explain_runs(two, other), "data"),
              ElementsAre(HasSubstr("batches, from update 2 on (1 of 3 differ)")));
  EXPECT_THAT(part(explain_runs(two, two), "data").same, Contains("batches of 3 updates, in order"));
}

TEST_F(CutBatchesTest, DigestsWithoutAnInput_AreNoAgreement) {
  for (const CutRun& run : {CutRun{.of_rank = {{}}, .digests = {{0, 0, 0}}},
                            CutRun{.of_rank = {{}, {}}, .digests = {{0, 0, 0}, {1, 2, 3}}}}) {
    const Explanation found = explain_runs(run, run);
    EXPECT_THAT(part(found, "data").same, Not(Contains(HasSubstr("batches of 3"))));
    EXPECT_THAT(unknown(found), HasSubstr("batches (record the channel"));
  }
}

TEST_F(CutBatchesTest, BuffersOfRanks_AreJoined) {
  const CutRun one{.of_rank = {{}}, .counters = {2}};
  const Explanation found = explain_runs(one, {.of_rank = {{}, {}}, .counters = {2, 2}});
  EXPECT_THAT(rows_of_topic(found, "weights"), IsEmpty());
  EXPECT_THAT(part(found, "weights").same, Contains("initial values of 2 parameters"));
  EXPECT_THAT(rows_of_topic(explain_runs({.of_rank = {{}, {}}, .counters = {3, 3}}, one), "weights"),
              ElementsAre("weights: initial values of count (1 parameter): norm 3 | norm 2"));
  EXPECT_THAT(rows_of_topic(explain_runs(one, {.of_rank = {{}, {}}, .counters = {2, 3}}), "weights"),
              ElementsAre("weights: initial values of count: norm 2 | norm 2 on rank 0, norm 3 on rank 1"));
  EXPECT_THAT(rows_of_topic(explain_runs(one, {.of_rank = {{}, {}}, .counters = {2}}), "weights"),
              ElementsAre("weights: initial values of count: norm 2 | norm 2 on rank 0"));
}

}  // namespace
}  // namespace parity::explain
