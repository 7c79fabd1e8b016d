// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/collectives.hpp"

#include <gmock/gmock.h>

#include "harness/trace/write/join_run.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/support/scratch.hpp"

namespace parity::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Place = CollectiveFinding::Place;

/// What two ranks put into one all_reduce and get from it.
struct Exchange {
  float sent[2] = {1, 2};
  float received[2] = {3, 3};
};

class CollectivesTest : public FolderTest {
 protected:
  /// Records a run of two ranks that make two all_reduces in its only update.
  trace::Trace run(const std::string& name, const Exchange& first, const Exchange& second) const {
    for (const int64_t rank : {1, 0}) {
      trace::Recorder::Options options{folder / name / "trace.h5", {}, {}, {}, 0, rank, 2};
      options.capture.sketches.push_back({});
      trace::Recorder recorder(std::move(options));
      recorder.begin_step(1);
      recorder.channel("loss", 1.0);
      int64_t number = 0;
      for (const Exchange* each : {&first, &second}) {
        offer(recorder, number, "in.sent", each->sent[rank], rank);
        offer(recorder, number++, "out.received", each->received[rank], rank);
      }
      recorder.end_step();
      recorder.finish();
    }
    return trace::Trace::open(folder / name);
  }

 private:
  static void offer(trace::Recorder& recorder, int64_t number, const std::string& slot, float value,
                    int64_t rank) {
    const std::string name = "comm@" + std::to_string(number) + ":all_reduce over dp of ranks 0, 1:" + slot +
                             "#" + std::to_string(rank);
    recorder.tensor(trace::Phase::grad, name, {DType::float32, {1}, &value});
  }
};

TEST_F(CollectivesTest, EqualChecksums_FindNothing) {
  EXPECT_FALSE(find_wire_or_compute(run("a", {}, {}), run("b", {}, {})));
}

TEST_F(CollectivesTest, OtherBytesPutIn_IsCompute) {
  const auto found = find_wire_or_compute(run("a", {}, {}), run("b", {}, {{1, 5}, {6, 6}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, Place::compute);
  EXPECT_THAT(found->ranks, ElementsAre(1));
  EXPECT_THAT(found->text(),
              HasSubstr("compute, not wire: rank 1 put other bytes into all_reduce over dp of ranks 0, "
                        "1 (call 2 of the update, in grad) at step 1"));
}

TEST_F(CollectivesTest, OtherBytesOfOneRank_IsWire) {
  const auto found = find_wire_or_compute(run("a", {}, {}), run("b", {{1, 2}, {4, 3}}, {{9, 2}, {11, 11}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, Place::wire);
  EXPECT_THAT(found->ranks, ElementsAre(0));
  EXPECT_FALSE(found->all_ranks);
}

TEST_F(CollectivesTest, OtherBytesOfEveryRank_BlamesTheWayOut) {
  const auto found = find_wire_or_compute(run("a", {}, {}), run("b", {{1, 2}, {4, 4}}, {}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, Place::wire);
  EXPECT_TRUE(found->all_ranks);
  EXPECT_THAT(found->text(), HasSubstr("bytes changed in a send buffer"));
}

}  // namespace
}  // namespace parity::compare
