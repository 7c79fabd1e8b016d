// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/harness/trace/read/ranks_fixture.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

using DamagedRanksTest = RanksTraceTest;

TEST_F(DamagedRanksTest, PartsThatDoNotMakeAWholeAreRefused) {
  const auto expect_refused = [&](const Held& one, const std::string& part) {
    record_both(rows(0), one);
    EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr(part)));
  };
  Held missing = rows(1);
  missing.values.clear();
  missing.shape = {0, 4};
  std::get<Shard>(missing.layout.placements[0].kind).ranges = {{3, 3}};
  expect_refused(missing, "8 of its 12 elements");
  Held twice = rows(1);
  std::get<Shard>(twice.layout.placements[0].kind).ranges = {{1, 2}};
  expect_refused(twice, "ranks 0 and 1 overlap");
  Held other = rows(1);
  other.layout.global_shape = {4, 4};
  expect_refused(other, "rank 0 has a shard of shape (3, 4), float32; rank 1 has a shard of shape (4, 4)");
  expect_refused({matrix, {3, 4}}, "rank 1 has all of shape (3, 4)");
}

TEST_F(DamagedRanksTest, AViewOfAnotherShapeThanItsLayoutIsRefused) {
  Recorder recorder(of_rank(0));
  Held held = rows(0);
  held.shape = {4, 2};
  EXPECT_THAT([&] { record_step(recorder, 1, held); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("its shape is (4, 2)"), HasSubstr("shape (2, 4)"))));
}

TEST_F(DamagedRanksTest, ALostShortOrForeignFileNamesItsRank) {
  record_both(rows(0), rows(1));
  const fs::path file = folder / "trace.rank1.h5";
  const std::string good = read_file(file);
  const auto expect_refused = [&](const std::string& part) {
    EXPECT_THAT([&] { Trace::open(folder); },
                ThrowsMessage<UserError>(HasSubstr("file trace.rank1.h5 of rank 1 " + part)));
  };
  fs::remove(file);
  expect_refused("is missing");
  write_file(file, good.substr(0, good.size() - 1));
  expect_refused("has " + std::to_string(good.size() - 1) + " bytes, expected " +
                 std::to_string(good.size()));
  std::string damaged = good;
  damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 1);
  write_file(file, damaged);
  expect_refused("does not match the digest");
  write_file(file, good);
  EXPECT_NO_THROW(Trace::open(folder));
}

TEST_F(DamagedRanksTest, WithoutItsIndexACompleteTraceIsRefused) {
  record_both(rows(0), rows(1));
  const auto edit = [&](const std::string& lines) {
    const CommandResult done =
        run_python(folder, "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n" + lines + "\nf.close()\n",
                   trace_path().string());
    ASSERT_EQ(done.status, 0) << done.output;
  };
  edit("del f['ranks']");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("2 ranks, but no index")));
  edit("f.attrs['ranks'] = 2**62");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("no index")));
}

TEST_F(DamagedRanksTest, RanksThatNobodyCanCountEndAtOnce) {
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

TEST_F(DamagedRanksTest, AChangedValueOfAPartIsCorrupt) {
  record_both(rows(0), rows(1));
  const CommandResult done = run_python(folder,
                                        "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n"
                                        "f['tensors/1/grad/w/part'][1, 2] = 3.0\nf.close()\n",
                                        trace_path().string());
  ASSERT_EQ(done.status, 0) << done.output;
  const Trace trace = Trace::open(folder);
  EXPECT_THAT([&] { trace.tensor(w); }, ThrowsMessage<UserError>(HasSubstr("corrupt trace: the values of")));
}

}  // namespace
}  // namespace parity::trace
