// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/measure/sketch.hpp"
#include "harness/trace/content_digest.hpp"
#include "tests/support/recorded.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// What a rank holds of a tensor.
struct Held {
  std::vector<float> values;
  Shape shape;
  TensorLayout layout = {};
};

Placement along(const std::string& mesh, int64_t rank, std::variant<Replicate, Shard, Partial> kind) {
  return {mesh, rank, 2, std::move(kind)};
}

/// Traces of runs of two ranks.
class RanksTraceTest : public RecordedTest {
 protected:
  const TensorKey w{1, Phase::grad, "w"};

  Recorder::Options of_rank(int64_t rank, int64_t append_after = 0) const {
    Recorder::Options chosen = options();
    chosen.rank = rank;
    chosen.ranks = 2;
    chosen.append_after = append_after;
    return chosen;
  }

  static void record_step(Recorder& recorder, int64_t step, const Held& held, double loss = 1) {
    recorder.begin_step(step);
    recorder.channel("loss", loss);
    recorder.tensor(Phase::grad, "w", view_of(DType::float32, held.values, held.shape), nullptr, held.layout);
    recorder.end_step();
  }

  /// One step of both ranks.
  void record_both(const Held& zero, const Held& one) const {
    Recorder first(of_rank(0)), second(of_rank(1));
    record_step(first, 1, zero);
    record_step(second, 1, one);
    second.finish();
    first.finish();
  }

  /// Rows 0 and 1 of a 3 x 4 matrix on rank 0, row 2 on rank 1.
  static Held rows(int64_t rank) {
    const IndexRange range = rank == 0 ? IndexRange{0, 2} : IndexRange{2, 3};
    Held held{{}, {range.end - range.first, 4}, {{3, 4}, {along("dp_shard", rank, Shard{0, {range}})}}};
    for (int64_t i = range.first * 4; i < range.end * 4; ++i)
      held.values.push_back(matrix[static_cast<size_t>(i)]);
    return held;
  }
  static Held columns(int64_t rank) {
    Held held{{}, {3, 2}, {{3, 4}, {along("tp", rank, Shard{1, {{2 * rank, 2 * rank + 2}}})}}};
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t column = 2 * rank; column < 2 * rank + 2; ++column)
        held.values.push_back(matrix[static_cast<size_t>(4 * row + column)]);
    return held;
  }

  inline static const std::vector<float> matrix = {1, -2, 3, 4, 0.5, 6, -7, 8, 9, 10, 11, -12};
};

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
    EXPECT_EQ(row.digest, digest_of(whole));
    EXPECT_EQ(row.shape, Shape({3, 4}));
    EXPECT_EQ(row.max_abs, 12);
    EXPECT_NEAR(row.norm, std::sqrt(625.25), 1e-12);
    EXPECT_EQ(row.values, sketch_of(whole));  // one element a block: nothing to round
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

TEST_F(RanksTraceTest, PartsThatDoNotMakeAWholeAreRefused) {
  const auto expect_refused = [&](const Held& one, const std::string& part) {
    record_both(rows(0), one);
    EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr(part)));
  };
  Held missing = rows(1);
  missing.values.clear();
  missing.shape = {0, 4};
  std::get<Shard>(missing.layout.placements[0].kind).ranges = {{3, 3}};
  expect_refused(missing, "those of rank 0, 1 have 8 of its 12 elements");
  Held twice = rows(1);
  std::get<Shard>(twice.layout.placements[0].kind).ranges = {{1, 2}};
  expect_refused(twice, "those of ranks 0 and 1 overlap, and are not the same");
  Held other = rows(1);
  other.layout.global_shape = {4, 4};
  expect_refused(other, "rank 0 has a part of shape (3, 4), float32; rank 1 has a part of shape (4, 4)");
  expect_refused({matrix, {3, 4}}, "rank 1 has all of shape (3, 4)");
}

TEST_F(RanksTraceTest, AViewOfAnotherShapeThanItsLayoutIsRefused) {
  Recorder recorder(of_rank(0));
  Held held = rows(0);
  held.shape = {4, 2};
  EXPECT_THAT([&] { record_step(recorder, 1, held); },
              ThrowsMessage<UserError>(HasSubstr("its layout names a part of shape (2, 4), it has (4, 2)")));
}

TEST_F(RanksTraceTest, ALostShortOrForeignFileNamesItsRank) {
  record_both(rows(0), rows(1));
  const fs::path file = folder / "trace.rank1.h5";
  const std::string good = read_file(file);
  const auto expect_refused = [&](const std::string& part) {
    EXPECT_THAT([&] { Trace::open(folder); },
                ThrowsMessage<UserError>(HasSubstr("the file trace.rank1.h5 of rank 1 " + part)));
  };
  fs::remove(file);
  expect_refused("is missing");
  write_file(file, good.substr(0, good.size() - 1));
  expect_refused("has " + std::to_string(good.size() - 1) + " bytes, not " + std::to_string(good.size()));
  std::string damaged = good;
  damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 1);
  write_file(file, damaged);
  expect_refused("has another digest than this trace says");
  write_file(file, good);
  EXPECT_NO_THROW(Trace::open(folder));
}

TEST_F(RanksTraceTest, WithoutItsIndexACompleteTraceIsRefused) {
  record_both(rows(0), rows(1));
  const auto edit = [&](const std::string& lines) {
    const CommandResult done =
        run_python(folder, "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n" + lines + "\nf.close()\n",
                   trace_path().string());
    ASSERT_EQ(done.status, 0) << done.output;
  };
  edit("del f['ranks']");
  EXPECT_THAT([&] { Trace::open(folder); },
              ThrowsMessage<UserError>(HasSubstr("it says 2 ranks and has no index of them")));
  edit("f.attrs['ranks'] = 2**62");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("has no index of them")));
}

TEST_F(RanksTraceTest, RanksThatNobodyCanCountEndAtOnce) {
  {
    Recorder first(of_rank(0)), second(of_rank(1));
  }
  const CommandResult done = run_python(folder,
                                        "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n"
                                        "f.attrs['ranks'] = 2**62\nf.close()\n",
                                        (folder / "trace.h5.partial").string());
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_EQ(Trace::open(folder).ranks(), int64_t{1} << 62);
}

TEST_F(RanksTraceTest, AChangedValueOfAPartIsCorrupt) {
  record_both(rows(0), rows(1));
  const CommandResult done = run_python(folder,
                                        "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n"
                                        "f['tensors/1/grad/w/part'][1, 2] = 3.0\nf.close()\n",
                                        trace_path().string());
  ASSERT_EQ(done.status, 0) << done.output;
  const Trace trace = Trace::open(folder);
  EXPECT_THAT([&] { trace.tensor(w); }, ThrowsMessage<UserError>(HasSubstr("corrupt trace: the values of")));
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
  EXPECT_THAT([&] { first.finish(); },
              ThrowsMessage<UserError>(HasSubstr("rank 1 left no file trace.rank1.h5")));
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
              ThrowsMessage<UserError>(HasSubstr("a rank that holds one of them left none")));
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

TEST_F(RanksTraceTest, OfAChannelThatIsPerRankTheLargestCountsAndTheSmallestWhereRanksDiffer) {
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

TEST_F(RanksTraceTest, ARunThatOnlyRankZeroRecordedHasWhatItHoldsWhole) {
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
  EXPECT_THAT([&] { trace.tensor(w); }, ThrowsMessage<UserError>(HasSubstr("lies in parts")));
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
}  // namespace parity
