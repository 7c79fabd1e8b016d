// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity join`: the index of ranks of a run that ended without one.
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;

class JoinTest : public ProgramTest {
 protected:
  /// Records two steps of one rank. Rank 0 does not find the file of a later one.
  void record(int64_t rank, int64_t ranks = 2) const {
    trace::Recorder::Options options{folder_ / "job" / "trace.h5", {}, {}, {}};
    options.rank = rank;
    options.ranks = ranks;
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", 1.0);
      recorder.end_step();
    }
    try {
      recorder.finish();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 wrote no file trace.rank1.h5"));
    }
  }
};

TEST_F(JoinTest, LaterFile_CompletesTheTrace) {
  record(0);
  record(1);
  EXPECT_EQ(parity("compare job job").status, 4);
  const Outcome joined = parity("join job");
  EXPECT_EQ(joined.status, 0) << joined.err;
  EXPECT_EQ(joined.out, "job/trace.h5: 2 ranks, last step 2, complete\n");
  EXPECT_EQ(parity("join job/trace.h5").out, joined.out);
  EXPECT_EQ(parity("compare job job").status, 0);
}

TEST_F(JoinTest, RankZeroThatLeavesTheIndex_WaitsForNoFile) {
  ::setenv("PARITY_JOIN", "later", 1);
  record(1);
  record(0);
  ::unsetenv("PARITY_JOIN");
  EXPECT_EQ(parity("compare job job").status, 4);
  EXPECT_EQ(parity("join job").out, "job/trace.h5: 2 ranks, last step 2, complete\n");
  EXPECT_EQ(parity("compare job job").status, 0);
}

TEST_F(JoinTest, OtherValueOfTheVariable_IsRefused) {
  ::setenv("PARITY_JOIN", "never", 1);
  EXPECT_THROW(record(0), UserError);
  ::unsetenv("PARITY_JOIN");
}

TEST_F(JoinTest, MissingRank_IsNamed) {
  record(0);
  const Outcome joined = parity("join job");
  EXPECT_EQ(joined.status, 4) << joined.err;
  EXPECT_EQ(joined.out,
            "job/trace.h5.partial: 2 ranks, last step 2, partial: rank 1 left no file (trace.rank1.h5)\n");
  const Json json = read_json(parity("join job --json").out);
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json.at("ranks").at(0).at("state"), "missing");
  EXPECT_THAT(parity("compare job job").out, HasSubstr("rank 1 left no file"));
}

TEST_F(JoinTest, NothingToJoin_IsRefused) {
  EXPECT_EQ(parity("join nowhere").status, 3);
  record(0, 1);
  EXPECT_EQ(parity("join job").status, 2);
  std::filesystem::remove(folder_ / "job/trace.h5");
  record(1);
  EXPECT_EQ(parity("join job").status, 3);
}

TEST_F(JoinTest, ChangedFile_IsRefused) {
  record(1);
  record(0);
  write_file(folder_ / "job/trace.rank1.h5", "something else");
  const Outcome joined = parity("join job");
  EXPECT_EQ(joined.status, 2);
  EXPECT_THAT(joined.err, HasSubstr("file trace.rank1.h5 of rank 1 has 14 bytes"));
}

}  // namespace
}  // namespace parity::cli
