// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/mount.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// The output folder is a small file system of its own.
class FullDiskTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("good", falling_losses());
    fs::create_directories(out());
    if (::mount("none", out().c_str(), "tmpfs", 0, "size=512k") != 0)
      GTEST_SKIP() << "needs the right to mount a small file system (" << std::strerror(errno) << ")";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_)
      ::umount2(out().c_str(), MNT_DETACH);
    SuiteTest::TearDown();
  }
  fs::path out() const { return folder_ / "out"; }
  fs::path filler() const { return out() / "filler"; }

  /// Leaves about `bytes` free.
  void fill(uint64_t bytes) const {
    std::error_code error;
    const uint64_t free = fs::space(out()).available;
    std::ofstream(filler(), std::ios::binary) << std::string(free > bytes ? free - bytes : 0, 'f');
  }
  Case simple_case() const {
    return write_case("c", "[golden]\narms = []\n" + copying_arm("a", "good") +
                               shell_arm("b", "cp {case_dir}/good.h5 $PARITY_TRACE") + losses_identical());
  }

 private:
  bool mounted_ = false;
};

TEST_F(FullDiskTest, FullDisk_IsReportedWithPathNothingFinished) {
  const Case item = simple_case();
  size_t refused = 0;
  for (const uint64_t bytes : {0U, 4096U, 8192U, 16384U, 24576U, 40960U, 65536U}) {
    fill(bytes);
    try {
      run({item});  // passes, or has a failed case
    } catch (const UserError& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("No space left"), HasSubstr(out().string())))
          << bytes;
    }
    fs::remove(filler());
    for (const auto& entry : fs::recursive_directory_iterator(out())) {
      if (entry.path().extension() == ".json" &&
          entry.path().parent_path().parent_path().filename() == "runs") {
        EXPECT_FALSE(Json::parse(read_file(entry.path()), nullptr, false).is_discarded()) << entry.path();
      }
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
  }
  EXPECT_GE(refused, 2U);
  const Json results = run({item});
  EXPECT_EQ(results.at("summary").at("passed"), 1) << "with room again";
}

TEST_F(FullDiskTest, AGoldenIsWholeOrNotThere) {
  const Case item = write_case("c", copying_arm("a", "good") + copying_arm("b", "good") + losses_identical());
  run({item}, golden::GoldenMode::create_missing);
  const golden::Golden golden = golden::read_golden(item.golden_file);
  const fs::path place = out() / "golden/c.h5";
  for (const uint64_t bytes : {0U, 4096U, 8192U}) {
    fill(bytes);
    EXPECT_THROW(write_golden(place, golden), UserError) << bytes;
    EXPECT_TRUE(fs::is_empty(place.parent_path())) << bytes;
    fs::remove(filler());
  }
  write_golden(place, golden);
  EXPECT_TRUE(golden::read_golden(place).intact());
}

TEST_F(FullDiskTest, AReadOnlyFolderIsRefusedBeforeAnythingRuns) {
  const Case item = simple_case();
  ASSERT_EQ(::mount("none", out().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, ""), 0);
  EXPECT_THAT([&] { run({item}); }, ThrowsMessage<UserError>(testing::AllOf(
                                        HasSubstr("Read-only file system"), HasSubstr("--out"))));
}

}  // namespace
}  // namespace parity::suite
