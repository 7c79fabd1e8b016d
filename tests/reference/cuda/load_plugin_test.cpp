// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/cuda/load_plugin.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

fs::path pretended() {
  return places::build + "/tests/libparity_pretended_plugin.so";
}

class LoadPluginTest : public FolderTest {
 protected:
  /// Returns the message of the error; every error has exit code 3.
  static std::string refusal(const fs::path& file) {
    try {
      load_plugin(file);
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::missing);
      return error.what();
    }
    return "";
  }
};

TEST_F(LoadPluginTest, BuiltPlugin_LoadsAndReportsDeviceOrReason) {
  const fs::path file = places::build + "/bin/libparity-cuda.so";
  if (!fs::exists(file))
    GTEST_SKIP() << "this build has no CUDA plug-in (PARITY_CUDA)";
  const DevicePlugin& plugin = load_plugin(file);
  EXPECT_EQ(plugin.version, DevicePlugin::current_version);
  std::string why;
  const int count = plugin.count(why);
  if (count == 0) {
    EXPECT_THAT(why,
                testing::ContainsRegex("^(there is no NVIDIA driver|the driver supports CUDA .* offers no "
                                       "device: .+)$"));
    return;
  }
  EXPECT_EQ(why, "");
  const DeviceFacts facts = plugin.facts(0);
  EXPECT_NE(facts.name, "");
  EXPECT_GT(facts.memory_bytes, 0);
  for (const std::string& version : {facts.capability, facts.driver, facts.runtime, facts.cudnn, facts.nccl})
    EXPECT_THAT(version, testing::MatchesRegex("[0-9]+(\\.[0-9]+)+"));
}

TEST_F(LoadPluginTest, OneThatIsNotThereIsRefusedWithWhatToBuild) {
  EXPECT_THAT(refusal(folder / "libparity-cuda.so"),
              AllOf(HasSubstr("needs libparity-cuda.so"), HasSubstr("-DPARITY_CUDA=ON")));
}

TEST_F(LoadPluginTest, AFileThatIsNoLibraryIsRefused) {
  write_file(folder / "libparity-cuda.so", "no library");
  EXPECT_THAT(refusal(folder / "libparity-cuda.so"),
              AllOf(HasSubstr("cannot open libparity-cuda.so ("), HasSubstr("build it again")));
}

TEST_F(LoadPluginTest, AnotherLibraryIsRefused) {
  EXPECT_THAT(
      refusal("/lib/x86_64-linux-gnu/libm.so.6"),
      HasSubstr("cannot use libm.so.6 as a plug-in of this parity-train (it lacks parity_device_plugin)"));
}

TEST_F(LoadPluginTest, AnotherVersionIsRefused) {
  ::setenv("PRETENDED_VERSION", "999", 1);
  EXPECT_THAT(refusal(pretended()),
              HasSubstr("its version is 999, not " + std::to_string(DevicePlugin::current_version)));
  ::unsetenv("PRETENDED_VERSION");
  EXPECT_EQ(refusal(pretended()), "");
}

TEST_F(LoadPluginTest, PluginPath_IsRelativeToTheProgram) {
  const fs::path before = fs::current_path();
  const fs::path file = plugin_file();
  fs::current_path("/");
  EXPECT_EQ(plugin_file(), file);
  fs::current_path(before);
  EXPECT_EQ(file, fs::path(places::build) / "tests/libparity-cuda.so");
}

}  // namespace
}  // namespace parity::reference
