// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/compare_traces.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::compare {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class CompareTracesTest : public RecordedTest {
 protected:
  /// The data that a rank records at each step.
  struct Held {
    double loss = 1;
    double calls = 2;
    std::vector<float> values = {1, 2, 3};
  };
  enum class End { finished, failed, killed };

  void write_rank(const std::string& name, int64_t rank, int64_t ranks, const Held& held, End end,
                  int64_t steps) const {
    trace::Recorder::Options chosen = options(name + "/trace.h5");
    chosen.rank = rank;
    chosen.ranks = ranks;
    trace::Recorder recorder(std::move(chosen));
    const Placement replicated{"dp", rank, ranks, Replicate{}};
    const TensorLayout layout = ranks == 1 ? TensorLayout{} : TensorLayout{{}, {replicated}};
    for (int64_t step = 1; step <= steps; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", held.loss);
      recorder.channel("calls", held.calls, trace::ChannelKind::per_rank);
      recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, held.values), nullptr, layout);
      recorder.end_step();
    }
    if (end == End::failed)
      recorder.failure({{"kind", "non_finite"}});
    if (end != End::killed)
      recorder.finish();
  }

  void write_one(const std::string& name, const Held& held, End end = End::finished,
                 int64_t steps = 2) const {
    write_rank(name, 0, 1, held, end, steps);
  }
  void write_two(const std::string& name, const Held& zero, const Held& one) const {
    write_rank(name, 1, 2, one, End::finished, 2);
    write_rank(name, 0, 2, zero, End::finished, 2);
  }

  TraceDifference compared(const TraceFilter& filter = {}) const {
    return compare_traces(trace::Trace::open(folder / "a"), trace::Trace::open(folder / "b"), filter);
  }
};

TEST_F(CompareTracesTest, EqualRanksAreIdenticalAndCounted) {
  write_two("a", {}, {});
  write_two("b", {}, {});
  const TraceDifference found = compared();
  EXPECT_TRUE(found.identical());
  EXPECT_EQ(found.ranks.compared, 8);  // two ranks: two channels, and one tensor at two steps
}

TEST_F(CompareTracesTest, AReplicaThatDiffersInOneRunIsFound) {
  write_two("a", {}, {});
  write_two("b", {}, {1, 2, {1, 2, 4}});
  const TraceDifference found = compared();
  EXPECT_FALSE(found.identical());
  ASSERT_FALSE(found.ranks.differences.empty());
  EXPECT_EQ(found.ranks.differences.front().rank, 1);
  EXPECT_EQ(found.ranks.differences.front().name, "w");
  EXPECT_EQ(found.to_json().at("identical"), false);
}

TEST_F(CompareTracesTest, ReplicasDifferingOtherwiseInEachRun_AreFound) {
  write_two("a", {}, {1, 2, {1, 2, 5}});
  write_two("b", {}, {1, 2, {1, 2, 4}});
  EXPECT_FALSE(compared().identical());
  write_two("a", {}, {3});
  write_two("b", {}, {4});
  EXPECT_FALSE(compared().identical());
}

TEST_F(CompareTracesTest, APerRankChannelBelowTheLargestIsFound) {
  write_two("a", {1, 9}, {1, 2});
  write_two("b", {1, 2}, {1, 9});
  const TraceDifference found = compared();
  EXPECT_EQ(found.differing_channels(), 0);
  EXPECT_FALSE(found.identical());
}

TEST_F(CompareTracesTest, ANanOfARankAboveZeroIsFound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_two("a", {}, {1, nan});
  write_two("b", {}, {1, nan});
  EXPECT_FALSE(compared().identical());
}

TEST_F(CompareTracesTest, ARunOfOneRankAgreesWithReplicasThatAgree) {
  write_one("a", {});
  write_two("b", {}, {});
  EXPECT_TRUE(compared().identical());
  write_two("b", {}, {1, 2, {1, 2, 4}});
  EXPECT_FALSE(compared().identical());
}

TEST_F(CompareTracesTest, TheFilterHoldsForSingleRanksToo) {
  write_two("a", {}, {});
  write_two("b", {}, {1, 2, {1, 2, 4}});
  TraceFilter filter;
  filter.channels = {"loss"};
  EXPECT_TRUE(compared(filter).identical());
  filter = {};
  filter.phase = trace::Phase::grad;
  EXPECT_FALSE(compared(filter).identical());
}

TEST_F(CompareTracesTest, RunsThatDidNotEndAreNeverIdenticalUnasked) {
  for (const End end : {End::killed, End::failed}) {
    fs::remove_all(folder / "a");
    fs::remove_all(folder / "b");
    write_one("a", {}, end);
    write_one("b", {}, end);
    TraceDifference found = compared();
    EXPECT_TRUE(found.agrees());
    EXPECT_FALSE(found.identical());
    EXPECT_THAT(found.unfinished, AllOf(HasSubstr("the first did not end"), HasSubstr("the second")));
    TraceFilter filter;
    filter.partial = true;
    found = compared(filter);
    EXPECT_TRUE(found.identical());
    EXPECT_EQ(found.last_step, 2);
  }
}

TEST_F(CompareTracesTest, APartialRunIsComparedUpToItsLastStep) {
  write_one("a", {}, End::killed, 2);
  write_one("b", {}, End::finished, 5);
  EXPECT_FALSE(compared().agrees());
  TraceFilter filter;
  filter.partial = true;
  const TraceDifference found = compared(filter);
  EXPECT_TRUE(found.identical());
  EXPECT_EQ(found.last_step, 2);
  EXPECT_THAT(found.channels.front().steps, testing::ElementsAre(1, 2));
  EXPECT_EQ(found.tensors.size(), 2);
  fs::remove_all(folder / "a");
  write_one("a", {}, End::finished, 2);
  EXPECT_FALSE(compared(filter).agrees()) << "it ended, and is shorter";
}

/// A value that does not match its row: corrupt if the rows agree, a difference if they do not.
TEST_F(CompareTracesTest, AChangedValueIsNeverIdentical) {
  for (const char* damaged : {"a", "b"})
    for (const double loss : {1.0, 7.0})
      for (const bool other : {false, true}) {
        write_one("a", {});
        write_one("b", {loss, 2, other ? std::vector<float>{1, 2, 9} : std::vector<float>{1, 2, 3}});
        EXPECT_NO_THROW(compared());
        const CommandResult done = run_python(folder,
                                              "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n"
                                              "f['tensors/2/grad/w/0'][0] = 1.25\nf.close()\n",
                                              (folder / damaged / "trace.h5").string());
        ASSERT_EQ(done.status, 0) << done.output;
        if (other)
          EXPECT_FALSE(compared().identical());
        else
          EXPECT_THAT([&] { compared(); }, ThrowsMessage<UserError>(AllOf(
                                               HasSubstr("corrupt trace"), HasSubstr("grad w of step 2"),
                                               HasSubstr((folder / damaged / "trace.h5").string()))));
      }
}

/// Values that became equal under rows that differ.
TEST_F(CompareTracesTest, EqualValuesOfOtherRowsAreCorrupt) {
  write_one("a", {});
  write_one("b", {1, 2, {1, 2, 9}});
  const CommandResult done =
      run_python(folder,
                 "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n"
                 "for step in '12': f['tensors/%s/grad/w/0' % step][2] = 3\nf.close()\n",
                 (folder / "b/trace.h5").string());
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_THAT([&] { compared(); }, ThrowsMessage<UserError>(HasSubstr("corrupt trace")));
}

/// One rank holds the tensor whole, two hold a row each: values equal, and values that differ.
TEST_F(CompareTracesTest, AWholeTensorMeetsOneInParts) {
  const auto record = [&](const std::string& name, int64_t rank, int64_t ranks, std::vector<float> values) {
    trace::Capture capture;
    capture.tensors.push_back({});
    capture.sketches.push_back({});
    trace::Recorder recorder({.path = folder / name / "trace.h5",
                              .config = {},
                              .provenance = {},
                              .capture = capture,
                              .rank = rank,
                              .ranks = ranks});
    recorder.begin_step(1);
    recorder.channel("loss", 1.0);
    TensorLayout layout;
    if (ranks > 1)
      layout = {{2, 3}, {{"tp", rank, ranks, Shard{0, {{rank, rank + 1}}}}}};
    recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, values, {ranks > 1 ? 1 : 2, 3}), nullptr,
                    layout);
    recorder.end_step();
    recorder.finish();
  };
  fs::create_directories(folder / "a");
  record("a", 0, 1, {1, 2, 3, 4, 5, 6});
  for (const float last : {6.0F, 7.0F}) {
    fs::remove_all(folder / "b");
    fs::create_directories(folder / "b");
    record("b", 1, 2, {4, 5, last});
    record("b", 0, 2, {1, 2, 3});
    EXPECT_EQ(compared().identical(), last == 6);
    const trace::Trace a = trace::Trace::open(folder / "a"), b = trace::Trace::open(folder / "b");
    const trace::TensorKey key{1, trace::Phase::grad, "w"};
    EXPECT_EQ(measure_tensor(tensor_source(a, key), tensor_source(b, key)).identical, last == 6);
    EXPECT_EQ(measure_tensor(tensor_source(b, key), tensor_source(a, key)).identical, last == 6);
  }
}

}  // namespace
}  // namespace parity::compare
