// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The index of ranks that is written after a run that ended without one.
#include "harness/trace/write/join_run.hpp"

#include <chrono>
#include <csignal>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/trace/read/content_digest.hpp"
#include "tests/harness/trace/read/ranks_fixture.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class JoinRunTest : public RanksTraceTest {
 protected:
  /// Records steps 1 to `steps` of a rank; `finished` says whether it then ends well.
  void record_rank(int64_t rank, int64_t steps, bool finished) const {
    Recorder recorder(of_rank(rank));
    for (int64_t step = 1; step <= steps; ++step)
      record_step(recorder, step, rows(rank));
    if (finished)
      recorder.finish();
  }
  /// Rank 0 ends before the file of rank 1 is there.
  void record_apart() const {
    EXPECT_THAT([&] { record_rank(0, 2, true); }, ThrowsMessage<UserError>(HasSubstr("parity join")));
    record_rank(1, 2, true);
  }
  std::vector<float> joined_values() const {
    const Trace trace = Trace::open(folder);
    const TensorView view = trace.tensor(w);
    const auto* values = static_cast<const float*>(view.data);
    return {values, values + view.size()};
  }
};

TEST_F(JoinRunTest, FilesPutTogetherLater_BecomeComplete) {
  record_apart();
  EXPECT_FALSE(Trace::open(folder).complete());
  const JoinedRun run = join_run(folder);
  EXPECT_TRUE(run.complete) << run.reason;
  EXPECT_EQ(run.trace, folder / "trace.h5");
  EXPECT_TRUE(Trace::open(folder).complete());
  EXPECT_EQ(joined_values(), matrix);
}

TEST_F(JoinRunTest, RankThatDiedBeforeItOpened_IsNotReplacedByItsEarlierRun) {
  record_rank(1, 2, true);
  record_rank(0, 2, true);
  ASSERT_TRUE(Trace::open(folder).complete());
  EXPECT_THROW(record_rank(0, 2, true), UserError);  // again, without rank 1
  EXPECT_EQ(join_run(folder).reason, "rank 1 left no file (trace.rank1.h5)");
}

TEST_F(JoinRunTest, FileOlderThanTheProcess_IsOfAnEarlierRun) {
  record_rank(1, 2, true);
  fs::last_write_time(folder / "trace.rank1.h5",
                      std::chrono::file_clock::from_sys(process_start()) - std::chrono::seconds(1));
  EXPECT_THROW(record_rank(0, 2, true), UserError);
  EXPECT_FALSE(fs::exists(folder / "trace.rank1.h5"));
}

TEST_F(JoinRunTest, JoinedTrace_EqualsOneThatRankZeroJoined) {
  record_apart();
  join_run(folder);
  const std::string later = read_file(folder / "trace.h5");
  EXPECT_TRUE(join_run(folder).complete);
  EXPECT_EQ(read_file(folder / "trace.h5"), later);
  const std::string digest = content_digest(Trace::open(folder));
  record_rank(1, 2, true);
  record_rank(0, 2, true);
  EXPECT_EQ(content_digest(Trace::open(folder)), digest);
}

TEST_F(JoinRunTest, MissingRank_IsNamedAndMayComeLater) {
  EXPECT_THROW(record_rank(0, 2, true), UserError);
  const JoinedRun run = join_run(folder / "trace.h5");
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.reason, "rank 1 left no file (trace.rank1.h5)");
  const Trace partial = Trace::open(folder);
  EXPECT_THAT(partial.failure()->at("reason"), run.reason);
  record_rank(1, 2, true);
  EXPECT_TRUE(join_run(folder).complete);
}

TEST_F(JoinRunTest, KilledRank_LeavesItsStepsReadable) {
  record_rank(1, 1, false);
  EXPECT_THROW(record_rank(0, 2, true), UserError);
  const JoinedRun run = join_run(folder);
  EXPECT_EQ(run.reason, "rank 1 ended after step 1 (trace.rank1.h5.partial)");
  EXPECT_EQ(joined_values(), matrix);
}

TEST_F(JoinRunTest, KilledRankZero_StaysPartial) {
  record_rank(0, 1, false);
  record_rank(1, 2, true);
  const JoinedRun run = join_run(folder);
  EXPECT_FALSE(run.complete);
  EXPECT_THAT(run.reason,
              HasSubstr("rank 0 did not finish its trace after step 1; rank 1 ended after step 2"));
  EXPECT_EQ(join_run(folder).reason, run.reason);
}

TEST_F(JoinRunTest, SigkilledRankZero_IsWrittenTo) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Recorder recorder(of_rank(0));
    for (int64_t step = 1;; ++step) {
      record_step(recorder, step, rows(0));
      if (::write(ends[1], "x", 1) != 1)
        ::_exit(1);
    }
  }
  ::close(ends[1]);
  char got = 0;
  for (int step = 0; step < 30; ++step)
    ASSERT_EQ(::read(ends[0], &got, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  record_rank(1, 1, true);
  const int64_t last = Trace::open(folder).last_step();
  EXPECT_EQ(join_run(folder).last_step, last);
  const Trace joined = Trace::open(folder);
  EXPECT_EQ(joined.last_step(), last);
  EXPECT_EQ(joined.failure()->at("kind"), "unfinished");
}

TEST_F(JoinRunTest, FileChangedAfterwards_IsRefused) {
  record_rank(0, 1, false);
  record_rank(1, 1, true);
  join_run(folder);
  EXPECT_EQ(joined_values(), matrix);
  write_file(folder / "trace.rank1.h5", read_file(folder / "trace.rank1.h5") + "x");
  EXPECT_THAT([&] { Trace::open(folder); },
              ThrowsMessage<UserError>(HasSubstr("file trace.rank1.h5 of rank 1 has")));
}

TEST_F(JoinRunTest, OtherConfig_BelongsToAnotherRun) {
  EXPECT_THROW(record_rank(0, 2, true), UserError);
  Recorder::Options other = of_rank(1);
  other.config = {{"lr", 0.5}};
  {
    Recorder recorder(std::move(other));
    record_step(recorder, 1, rows(1));
    recorder.finish();
  }
  const JoinedRun run = join_run(folder);
  ASSERT_EQ(run.others.size(), 1U);
  EXPECT_EQ(run.others[0].state, RankState::unreadable);
  EXPECT_THAT(run.reason, HasSubstr("rank 1 was recorded with another config"));
}

TEST_F(JoinRunTest, RunOfOneRank_IsRefused) {
  Recorder recorder(options());
  record_step(recorder, 1, {matrix, {3, 4}});
  recorder.finish();
  EXPECT_THAT([&] { join_run(folder); }, ThrowsMessage<UserError>(HasSubstr("its run has 1 rank")));
}

TEST_F(JoinRunTest, NoRankZero_IsMissing) {
  record_rank(1, 1, true);
  EXPECT_THAT([&] { join_run(folder); }, ThrowsMessage<UserError>(HasSubstr("rank 0 left no trace")));
  EXPECT_THAT([&] { join_run(folder / "trace.rank1.h5"); },
              ThrowsMessage<UserError>(HasSubstr("it is the trace of rank 1")));
}

TEST_F(JoinRunTest, RunningRank_IsNotDisturbed) {
  EXPECT_THROW(record_rank(0, 1, true), UserError);
  Recorder running(of_rank(1));
  record_step(running, 1, rows(1));
  EXPECT_THAT([&] { join_run(folder); },
              ThrowsMessage<UserError>(HasSubstr("a running process is writing it")));
}

}  // namespace
}  // namespace parity::trace
