// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/trace/write/trace_writer.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TraceWriterTest : public RecordedTest {
 protected:
  std::unique_ptr<TraceFile> file() const {
    return std::make_unique<TraceFile>(trace_path(), Json::object(), Json::object(), 0);
  }
};

TEST_F(TraceWriterTest, JobsRunInOrderAndDrainWaitsForTheLast) {
  TraceWriter writer(file(), 100);
  std::vector<int> order;
  for (int i = 0; i < 200; ++i)
    writer.submit(TraceWriter::Job([&order, i](TraceFile&) { order.push_back(i); }), 30);
  writer.drain();
  ASSERT_EQ(order.size(), 200);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(TraceWriterTest, NeverHoldsMoreThanItsBoundUnlessOneJobDoes) {
  std::atomic<int64_t> held = 0, most = 0;
  TraceWriter writer(file(), 100);
  for (const int64_t bytes : {60, 60, 60, 500, 60}) {
    writer.submit(TraceWriter::Job([&, bytes](TraceFile&) { held -= bytes; }), static_cast<size_t>(bytes));
    most = std::max<int64_t>(most, held += bytes);
  }
  writer.drain();
  EXPECT_EQ(held, 0);
  EXPECT_LE(most, 560);  // a job's own release comes before the writer counts its bytes as free
}

TEST_F(TraceWriterTest, FirstFailureComesBackAndLaterJobsAreDropped) {
  TraceWriter writer(file());
  bool ran = false;
  writer.submit(TraceWriter::Job([](TraceFile&) { throw UserError("the disk is full"); }));
  EXPECT_THAT([&] { writer.drain(); }, ThrowsMessage<UserError>(HasSubstr("the disk is full")));
  EXPECT_THAT([&] { writer.submit(TraceWriter::Job([&](TraceFile&) { ran = true; })); },
              ThrowsMessage<UserError>(HasSubstr("the disk is full")));
  EXPECT_FALSE(ran);
}

TEST_F(TraceWriterTest, AFullDiskIsAUserErrorThatNamesTheFile) {
  // A child process, since the limit on file size is the process's.
  int status = 0;
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Recorder recorder(options());
      const std::vector<float> values(1 << 19, 1.0F);
      recorder.begin_step(1);
      recorder.tensor(Phase::param, "w", view_of(DType::float32, values));
      recorder.end_step();
      recorder.finish();
      ::_exit(1);
    } catch (const UserError& error) {
      ::_exit(std::string(error.what()).find("cannot write") == std::string::npos ? 2 : 0);
    } catch (...) {
      ::_exit(3);
    }
  }
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace parity::trace
