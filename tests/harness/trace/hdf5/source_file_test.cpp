// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/source_file.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/forged_journal.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class SourceFileTest : public RecordedTest {
 protected:
  void record_trace() const {
    Recorder recorder(options());
    record(recorder, 1, 2);
    recorder.finish();
  }
};

TEST_F(SourceFileTest, AForgedJournalWritesNothing) {
  record_trace();
  const std::string whole = read_file(trace_path());
  for (const uint64_t offset : {uint64_t{0}, uint64_t{1} << 40}) {
    write_file(journal_path(trace_path()), forged_journal(offset, "forged"));
    EXPECT_EQ(Trace::open(trace_path()).last_step(), 2);
    EXPECT_EQ(read_file(trace_path()), whole);
    EXPECT_TRUE(fs::exists(journal_path(trace_path())));
  }
}

TEST_F(SourceFileTest, NothingIsWrittenThroughALink) {
  write_file(folder / "victim", "what its owner wrote");
  for (const char* name : {"link.h5", "link.h5.partial"}) {
    fs::create_symlink(folder / "victim", folder / name);
    write_file(journal_path(folder / name), forged_journal(0, "forged"));
    EXPECT_THROW(Trace::open(folder / name), UserError);
    EXPECT_EQ(read_file(folder / "victim"), "what its owner wrote");
  }
}

TEST_F(SourceFileTest, ATraceThatAPersonLinkedToIsRead) {
  record_trace();
  fs::create_symlink(trace_path(), folder / "mine.h5");
  EXPECT_EQ(Trace::open(folder / "mine.h5").last_step(), 2);
}

TEST_F(SourceFileTest, PipesAndDevicesAreNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  for (const fs::path& path : {folder / "pipe.h5", fs::path("/dev/zero")})
    EXPECT_THAT([&] { Trace::open(path); }, ThrowsMessage<UserError>(HasSubstr("a device or a pipe")));
}

TEST_F(SourceFileTest, ATraceOfHolesIsRefusedAtOnce) {
  const CommandResult made = run_python(folder, R"(
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.attrs["schema"], f.attrs["status"] = "parity.trace/1.0", "complete"
    f["steps"] = [1]
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    p.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    space = h5py.h5s.create_simple((600_000_000,))
    h5py.h5d.create(f.create_group("channels").id, b"loss", h5py.h5t.IEEE_F64LE, space, p)
)",
                                        trace_path().string());
  ASSERT_EQ(made.status, 0) << made.output;
  ASSERT_GT(fs::file_size(trace_path()), uint64_t{4} << 30);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT([&] { Trace::open(trace_path()); },
              ThrowsMessage<UserError>(HasSubstr("4800000000 bytes, but the sparse file")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(SourceFileTest, AWriterFollowsNoLinkAtItsPlace) {
  write_file(folder / "victim", "kept");
  fs::create_symlink(folder / "victim", folder / "trace.h5.partial");
  EXPECT_THROW(Recorder{options()}, UserError);
  EXPECT_EQ(read_file(folder / "victim"), "kept");
}

}  // namespace
}  // namespace parity::trace
