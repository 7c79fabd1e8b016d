// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The program with damaged, forged and unreadable files: it reports them, and writes nothing where it reads.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"
#include "tests/support/traces/forged_journal.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DamagedTest : public ProgramTest {
 protected:
  /// A sanitizer's library must come before all others.
  bool can_preload() const { return Json::parse(parity("version --json").out).at("sanitizer") == ""; }

  /// With the N-th read of a file whose path contains `path` failing.
  Outcome with_failing_read(int n, const std::string& path, const std::string& words) const {
    return shell("env LD_PRELOAD=" + places::build + "/lib/libfailing_reads.so FAIL_READ=" +
                 std::to_string(n) + " FAIL_PATH=" + path + " parity " + words);
  }

  /// A case with a golden of the trace a.
  void write_kept() const {
    write_case("kept", copying_arm("first", "a") + copying_arm("second", "a") + losses_identical());
    ASSERT_EQ(parity("golden record topic/kept").status, 0);
  }
  fs::path golden() const { return folder_ / "golden/topic/kept.h5"; }
};

TEST_F(DamagedTest, LinkedGolden_IsRefusedAndNotWrittenThrough) {
  write_kept();
  write_file(folder_ / "victim", "what its owner wrote");
  fs::rename(golden(), folder_ / "elsewhere.h5");
  for (const char* target : {"victim", "elsewhere.h5"}) {
    fs::remove(golden());
    fs::create_symlink(folder_ / target, golden());
    write_file(golden().string() + ".journal", forged_journal(0, "forged"));
    const std::string before = read_file(folder_ / target);
    for (const char* words :
         {"list", "run topic/kept", "golden diff topic/kept", "golden verify topic/kept"}) {
      const Outcome outcome = parity(words);
      EXPECT_THAT(outcome.out + outcome.err, HasSubstr("kept")) << words;
      EXPECT_TRUE(outcome.status != 0 || std::string(words) == "list") << words << outcome.out;
      EXPECT_EQ(read_file(folder_ / target), before) << words;
    }
    EXPECT_THAT(parity("run topic/kept").out, HasSubstr("symbolic link"));
  }
}

TEST_F(DamagedTest, AJournalBesideAGoldenCountsForNothing) {
  write_kept();
  const std::string before = read_file(golden());
  write_file(golden().string() + ".journal", forged_journal(0, "forged"));
  EXPECT_EQ(parity("run topic/kept").status, 0);
  EXPECT_EQ(read_file(golden()), before);
}

TEST_F(DamagedTest, AChangedValueIsACorruptTrace) {
  trace::Recorder::Options options{folder_ / "one.h5", {}, {}, {}};
  options.capture.tensors.emplace_back();
  {
    trace::Recorder recorder(std::move(options));
    const std::vector<float> values(4000, 0.5F);
    recorder.begin_step(1);
    recorder.channel("loss", 1.0);
    recorder.tensor(trace::Phase::grad, "w", {DType::float32, {4000}, values.data()});
    recorder.end_step();
    recorder.finish();
  }
  std::string bytes = read_file(folder_ / "one.h5");
  const std::string half("\0\0\0\x3f\0\0\0\x3f", 8);
  bytes.at(bytes.find(half) + 1600) ^= 1;
  write_file(folder_ / "two.h5", bytes);
  const Outcome outcome = parity("compare one.h5 two.h5");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("corrupt trace"), HasSubstr("two.h5"), HasSubstr("grad w of step 1")));
}

TEST_F(DamagedTest, PartialTracesAreComparedOnlyIfThatIsMeant) {
  for (const char* name : {"one", "two"}) {
    trace::Recorder recorder({folder_ / name / "trace.h5", {}, {}, {}});
    recorder.begin_step(1);
    recorder.channel("loss", 1.0);
    recorder.end_step();
    recorder.failure({{"kind", "non_finite"}});
  }
  const Outcome unasked = parity("compare one two");
  EXPECT_EQ(unasked.status, 4) << unasked.out;
  EXPECT_THAT(unasked.out,
              AllOf(HasSubstr("crashed: the run of the first did not end"), HasSubstr("--partial")));
  const Outcome asked = parity("compare one two --partial");
  EXPECT_EQ(asked.status, 0) << asked.out;
  EXPECT_THAT(asked.out, HasSubstr("identical up to step 1: "));
}

TEST_F(DamagedTest, ACompleteTraceThatSaysItFailedIsNoResult) {
  write_case("failed",
             no_golden() + copying_arm("first", "a") + copying_arm("second", "a") + losses_identical());
  write_file(folder_ / "edit.py",
             "import h5py\n"
             "with h5py.File('cases/topic/a.h5', 'r+') as f:\n"
             "    f.attrs['schema'] = 'parity.trace/1.1'\n"
             "    del f.attrs['digest']\n"
             "    f.attrs['failure'] = '{\"kind\": \"non_finite\"}'\n");
  ASSERT_EQ(shell(places::python + " edit.py").status, 0);
  const Outcome outcome = parity("run topic/failed");
  EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("reports a failure"));
}

TEST_F(DamagedTest, EveryFailingReadOfATraceIsAnError) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  int failed = 0;
  for (int n = 1; n < 400; n += 3) {
    const Outcome outcome = with_failing_read(n, "topic/b.h5", "compare cases/topic/b.h5 cases/topic/b.h5");
    if (outcome.status == 0)
      break;
    ++failed;
    ASSERT_EQ(outcome.status, 2) << n << outcome.err;
    ASSERT_THAT(outcome.err, HasSubstr("cannot")) << n;
  }
  EXPECT_GT(failed, 5);
}

TEST_F(DamagedTest, AReadThatFailsIsNoEndOfACaseFile) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  const std::string first =
      "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"\nbecause = \"it holds\"\n";
  write_case("long", no_golden() + copying_arm("first", "a") + copying_arm("second", "b") + first + "# " +
                         std::string(70'000, 'x') + "\n" + losses_identical());
  EXPECT_EQ(parity("run topic/long").status, 1);
  for (const int n : {1, 2}) {
    const Outcome outcome = with_failing_read(n, "topic/long.toml", "run topic/long");
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err + outcome.out, HasSubstr("Input/output error"));
  }
}

TEST_F(DamagedTest, AGoldenIsOnlyReplacedByOneThatReadsBack) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  write_kept();
  const std::string before = read_file(golden());
  write_trace("a", {9.0, 8.0, 7.0});
  int failed = 0;
  for (int n = 1; n < 400; n += 4) {
    const Outcome outcome =
        with_failing_read(n, "golden/topic/.parity-", "golden record topic/kept --reason WHY");
    if (outcome.status == 0)
      break;
    ++failed;
    ASSERT_EQ(outcome.status, 2) << n << outcome.out << outcome.err;
    ASSERT_EQ(read_file(golden()), before) << n;
  }
  EXPECT_GT(failed, 2);
  EXPECT_EQ(parity("run topic/kept").status, 0);
}

TEST_F(DamagedTest, AFailingReadLosesNoHistory) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  write_kept();
  write_trace("a", {9.0, 8.0, 7.0});
  ASSERT_EQ(parity("golden record topic/kept --reason FIRST").status, 0);
  const std::string before = read_file(golden());
  ASSERT_THAT(before, HasSubstr("FIRST"));
  write_trace("a", {9.5, 8.0, 7.0});
  for (int n = 1; n < 100; n += 9) {
    write_file(golden(), before);
    const Outcome outcome =
        with_failing_read(n, "golden/topic/kept.h5", "golden record topic/kept --reason NEXT");
    const std::string after = read_file(golden());
    ASSERT_THAT(after, HasSubstr("FIRST")) << n << outcome.out << outcome.err;
  }
}

}  // namespace
}  // namespace parity::cli
