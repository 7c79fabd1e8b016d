// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "tests/harness/trace/read/ranks_fixture.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST_F(RanksTraceTest, ShardsOfRowsAndOfColumnsReadAsTheWholeTensor) {
  const TensorView whole = view_of(DType::float32, matrix, {3, 4});
  for (const auto held : {rows, columns}) {
    record_both(held(0), held(1));
    const Trace trace = Trace::open(folder);
    EXPECT_EQ(trace.schema(), "parity.trace/1.2");
    EXPECT_EQ(trace.ranks(), 2);
    ASSERT_THAT(trace.tensors(), ElementsAre(w));
    EXPECT_EQ(trace.tensor(w).shape, Shape({3, 4}));
    EXPECT_EQ(values_of<float>(trace.tensor(w)), matrix);
    ASSERT_EQ(trace.sketches().size(), 1);
    const SketchRow& row = trace.sketches().front();
    EXPECT_EQ(row.digest, measure::digest_of(whole));
    EXPECT_EQ(row.shape, Shape({3, 4}));
    EXPECT_EQ(row.max_abs, 12);
    EXPECT_NEAR(row.norm, std::sqrt(625.25), 1e-12);
    EXPECT_EQ(row.values, measure::sketch_of(whole));  // one element a block: nothing to round
    EXPECT_THAT(trace.replica_differences(), IsEmpty());
  }
}

TEST_F(RanksTraceTest, TheRunOfOneRankHasTheSameDigest) {
  record_both(rows(0), rows(1));
  Recorder alone(options("alone.h5"));
  record_step(alone, 1, {matrix, {3, 4}});
  alone.finish();
  const Trace one = Trace::open(folder / "alone.h5"), two = Trace::open(folder);
  EXPECT_EQ(one.schema(), "parity.trace/1.2");
  EXPECT_EQ(one.find_sketch(w)->digest, two.find_sketch(w)->digest);
  EXPECT_EQ(one.ranks(), 1);
}

TEST_F(RanksTraceTest, APartInARunOfOneRank_IsNotLeftOutInSilence) {
  Recorder alone(options("alone.h5"));
  record_step(alone, 1, columns(1));
  alone.finish();
  EXPECT_THAT(
      [&] { Trace::open(folder / "alone.h5"); },
      ThrowsMessage<UserError>(HasSubstr("cannot join the shards of grad w of step 1 (those of rank 0 "
                                         "have 6 of its 12 elements)")));
  {
    Recorder cut(options("cut.h5"));
    record_step(cut, 1, columns(1));
  }
  EXPECT_THAT([&] { Trace::open(folder / "cut.h5.partial"); },
              ThrowsMessage<UserError>(HasSubstr("6 of its 12")));
  Held turned{{}, {3, 4}, {{3, 4}, {{"tp", 0, 1, Shard{0, {{2, 3}, {0, 2}}}}}}};
  turned.values.assign(matrix.begin() + 8, matrix.end());
  turned.values.insert(turned.values.end(), matrix.begin(), matrix.begin() + 8);
  Recorder whole(options("whole.h5"));
  record_step(whole, 1, turned);
  whole.finish();
  EXPECT_EQ(values_of<float>(Trace::open(folder / "whole.h5").tensor(w)), matrix);
}

TEST_F(RanksTraceTest, TermsAreAdded) {
  const auto term = [](int64_t rank, Partial kind) {
    return Held{{static_cast<float>(1 + rank), 4}, {2}, {{2}, {along("dp_replicate", rank, kind)}}};
  };
  record_both(term(0, {}), term(1, {}));
  const Trace sum = Trace::open(folder);
  EXPECT_THAT(values_of<float>(sum.tensor(w)), ElementsAre(3.0F, 8.0F));
  EXPECT_EQ(sum.find_sketch(w), nullptr);
  record_both(term(0, {Partial::Reduction::avg}), term(1, {Partial::Reduction::avg}));
  EXPECT_THAT(values_of<float>(Trace::open(folder).tensor(w)), ElementsAre(1.5F, 4.0F));
}

TEST_F(RanksTraceTest, ReplicasThatDifferAreFoundWithTheirElement) {
  const TensorLayout everywhere = {{}, {along("dp_replicate", 0, Replicate{})}};
  record_both({{1, 2}, {2}, everywhere}, {{1, 2}, {2}, everywhere});
  EXPECT_EQ(Trace::open(folder).replicas_compared(), 2);  // the tensor and the loss
  EXPECT_THAT(Trace::open(folder).replica_differences(), IsEmpty());

  record_both({{1, 2}, {2}, everywhere}, {{1, 2.5}, {2}, everywhere});
  const Trace trace = Trace::open(folder);
  ASSERT_EQ(trace.replica_differences().size(), 1);
  const ReplicaDifference& found = trace.replica_differences().front();
  EXPECT_EQ(found.name, "w");
  EXPECT_EQ(found.step, 1);
  EXPECT_EQ(found.phase, Phase::grad);
  EXPECT_EQ(found.rank, 0);
  EXPECT_EQ(found.other, 1);
  EXPECT_THAT(found.index, ElementsAre(1));
  EXPECT_EQ(found.value, 2);
  EXPECT_EQ(found.other_value, 2.5);
  EXPECT_THAT(values_of<float>(trace.tensor(w)), ElementsAre(1.0F, 2.0F));
}

TEST_F(RanksTraceTest, AChannelThatDiffersBetweenRanksIsFound) {
  Recorder first(of_rank(0)), second(of_rank(1));
  record_step(first, 1, rows(0), 3.0);
  record_step(second, 1, rows(1), 3.5);
  second.finish();
  first.finish();
  const Trace trace = Trace::open(folder);
  ASSERT_EQ(trace.replica_differences().size(), 1);
  EXPECT_EQ(trace.replica_differences().front().name, "loss");
  EXPECT_FALSE(trace.replica_differences().front().phase);
  EXPECT_EQ(trace.replica_differences().front().other_value, 3.5);
}

TEST_F(RanksTraceTest, ANanOfARankAboveZeroReachesTheJoinedChannel) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto record = [](Recorder& recorder, double value) {
    recorder.begin_step(1);
    recorder.channel("q", value, ChannelKind::per_rank);
    recorder.end_step();
  };
  for (const auto& [zero, one] : {std::pair(1.0, nan), std::pair(nan, 1.0)}) {
    Recorder first(of_rank(0)), second(of_rank(1));
    record(first, zero);
    record(second, one);
    second.finish();
    first.finish();
    EXPECT_TRUE(std::isnan(Trace::open(folder).channels().at("q").as_double()[0]));
  }
}

TEST_F(RanksTraceTest, RankZeroCannotFinishWithoutTheOthersFiles) {
  Recorder first(of_rank(0));
  record_step(first, 1, rows(0));
  EXPECT_THAT([&] { first.finish(); }, ThrowsMessage<UserError>(HasSubstr("no file trace.rank1.h5")));
  EXPECT_FALSE(fs::exists(trace_path()));
}

TEST_F(RanksTraceTest, ARunThatDidNotEndHasWhatItsRanksLeft) {
  {
    Recorder first(of_rank(0)), second(of_rank(1));
    record_step(first, 1, rows(0));
    record_step(second, 1, rows(1));
    record_step(first, 2, rows(0));  // the other rank died in this one
    first.failure({{"kind", "non_finite"}});
  }
  const Trace trace = Trace::open(folder);
  EXPECT_FALSE(trace.complete());
  EXPECT_EQ(trace.last_step(), 2);
  EXPECT_THAT(trace.tensors(), ElementsAre(w));
  EXPECT_EQ(values_of<float>(trace.tensor(w)), matrix);
  EXPECT_NE(trace.find_sketch(w), nullptr);
  EXPECT_THAT([&] { trace.tensor({2, Phase::grad, "w"}); },
              ThrowsMessage<UserError>(HasSubstr("a rank recorded no shard")));
}

TEST_F(RanksTraceTest, ReplicasOfARunThatDidNotEndAreCompared) {
  const TensorLayout everywhere = {{}, {along("dp_replicate", 0, Replicate{})}};
  {
    Recorder first(of_rank(0)), second(of_rank(1));
    record_step(first, 1, {{1, 2}, {2}, everywhere});
    record_step(second, 1, {{1, 3}, {2}, everywhere});
    second.finish();
  }
  const Trace trace = Trace::open(folder);
  ASSERT_EQ(trace.replica_differences().size(), 1);
  EXPECT_THAT(trace.replica_differences().front().index, ElementsAre(1));
}

TEST_F(RanksTraceTest, AFileThatIsDamagedIsNoneOfARunThatDidNotEnd) {
  {
    Recorder first(of_rank(0)), second(of_rank(1));
    record_step(first, 1, rows(0));
    record_step(second, 1, rows(1));
  }
  write_file(folder / "trace.rank1.h5.partial", "nonsense");
  EXPECT_THAT(Trace::open(folder).tensors(), IsEmpty());
}

TEST_F(RanksTraceTest, PerRankChannel_LargestCountsSmallestIfDiffer) {
  const auto record = [](Recorder& recorder, int64_t step, int64_t calls, int64_t bytes) {
    recorder.begin_step(step);
    recorder.channel("loss", 1.0);
    recorder.channel("comm.calls", calls, ChannelKind::per_rank);
    recorder.channel("comm.bytes", bytes, ChannelKind::per_rank);
    recorder.end_step();
  };
  {
    Recorder first(of_rank(0)), second(of_rank(1));
    record(first, 1, 3, 10);
    record(first, 2, 3, 10);
    second.begin_step(1);
    second.channel("comm.send", int64_t{7}, ChannelKind::per_rank);
    second.channel("comm.calls", int64_t{3}, ChannelKind::per_rank);
    second.channel("comm.bytes", int64_t{10}, ChannelKind::per_rank);
    second.end_step();
    second.begin_step(2);
    second.channel("comm.send", int64_t{7}, ChannelKind::per_rank);
    second.channel("comm.calls", int64_t{3}, ChannelKind::per_rank);
    second.channel("comm.bytes", int64_t{12}, ChannelKind::per_rank);
    second.end_step();
    second.finish();
    first.finish();
  }
  const Trace trace = Trace::open(folder);
  EXPECT_THAT(trace.replica_differences(), IsEmpty());
  const auto values = [&](const std::string& name) {
    return std::get<std::vector<int64_t>>(trace.channels().at(name).values);
  };
  EXPECT_THAT(values("comm.calls"), ElementsAre(3, 3));
  EXPECT_FALSE(trace.channels().contains("comm.calls.min"));
  EXPECT_THAT(values("comm.bytes"), ElementsAre(10, 12));
  EXPECT_THAT(values("comm.bytes.min"), ElementsAre(10, 10));
  EXPECT_THAT(values("comm.send"), ElementsAre(7, 7));
  EXPECT_THAT(values("comm.send.min"), ElementsAre(0, 0));
  EXPECT_EQ(trace.channels().at("comm.bytes").kind, ChannelKind::numeric);
}

TEST_F(RanksTraceTest, OnlyRankZeroRecorded_ItsTensorsAreWhole) {
  {
    Recorder first(of_rank(0));
    record_step(first, 1, rows(0));
    const std::vector<float> bias = {1, 2};
    first.begin_step(2);
    first.channel("loss", 1.0);
    first.tensor(Phase::grad, "bias", view_of(DType::float32, bias));
    first.end_step();
  }
  const Trace trace = Trace::open(folder);
  EXPECT_FALSE(trace.complete());
  EXPECT_THAT(trace.tensors(), ElementsAre(TensorKey{2, Phase::grad, "bias"}));
  EXPECT_THAT([&] { trace.tensor(w); }, ThrowsMessage<UserError>(HasSubstr("is sharded")));
}

TEST_F(RanksTraceTest, AResumedRunGoesOnInEachFile) {
  record_both(rows(0), rows(1));
  {
    Recorder first(of_rank(0, 1)), second(of_rank(1, 1));
    record_step(first, 2, rows(0));
    record_step(second, 2, rows(1));
    second.finish();
    first.finish();
  }
  const Trace trace = Trace::open(folder);
  EXPECT_EQ(trace.last_step(), 2);
  EXPECT_EQ(values_of<float>(trace.tensor({2, Phase::grad, "w"})), matrix);
  EXPECT_EQ(values_of<float>(trace.tensor(w)), matrix);
  Recorder::Options alone = options();
  alone.append_after = 2;
  EXPECT_THAT([&] { Recorder recorder(std::move(alone)); },
              ThrowsMessage<UserError>(HasSubstr("it is of rank 0 of 2, this is rank 0 of 1")));
}

TEST_F(RanksTraceTest, RenamedTensorsKeepTheirParts) {
  record_both(rows(0), rows(1));
  Trace trace = Trace::open(folder);
  trace.rename_tensors([](const std::string& name) { return "model." + name; });
  EXPECT_EQ(values_of<float>(trace.tensor({1, Phase::grad, "model.w"})), matrix);
  EXPECT_NE(trace.find_sketch({1, Phase::grad, "model.w"}), nullptr);
}

}  // namespace
}  // namespace parity::trace
