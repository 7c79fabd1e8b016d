// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// parity-train with device = "cuda": its message without a device, and its training with one.
#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/train_fixture.hpp"

namespace parity::reference {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class DeviceProgramTest : public TrainProgramTest {
 protected:
  /// Returns the output of one update on the device; status 3 means that there is no device.
  CommandResult on_device(const std::string& arguments, const Json& changes = Json::object()) {
    Json config = small();
    config.update(changes);
    config["steps"] = 3;
    config["device"] = "cuda";
    return train(write_config(config).string() + " " + arguments);
  }
};

TEST_F(DeviceProgramTest, NoDevice_ExitsThreeWithReasonAndRemedy) {
  const CommandResult result =
      run_shell("cd / && " + program() + write_config({{"device", "cuda"}}).string() + " --trace " +
                (folder / "trace.h5").string());
  if (result.status == 0)
    GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(WEXITSTATUS(result.status), 3);
  EXPECT_THAT(result.output,
              AnyOf(HasSubstr("needs a GPU (there is no NVIDIA driver); run it on a machine with"),
                    HasSubstr("offers no device"), HasSubstr("needs libparity-cuda.so")));
  EXPECT_THAT(result.output, HasSubstr("set device = \"cpu\""));
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.h5"));
}

TEST_F(DeviceProgramTest, AStepOnAGpuIsTheCpusUpToRounding) {
  const CommandResult there =
      on_device("--dtype float64 --trace " + (folder / "there.h5").string(), {{"data.global_batch", 4}});
  if (there.status == 3)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  ASSERT_EQ(there.status, 0) << there.output;
  Json config = small();
  config["steps"] = 3;
  const CommandResult here =
      train(write_config(config).string() + " --dtype float64 --trace " + (folder / "here.h5").string());
  ASSERT_EQ(here.status, 0) << here.output;
  const trace::Trace a = trace::Trace::open(folder / "here.h5"), b = trace::Trace::open(folder / "there.h5");
  for (const char* exact : {"batch_digest", "valid_tokens", "lr"})
    EXPECT_EQ(channel_of(a, exact), channel_of(b, exact)) << exact;
  for (const char* close : {"loss", "grad_norm", "update_norm"})
    for (size_t step = 0; step < 3; ++step) {
      const double expected = channel_of(a, close)[step];
      // 2^-40 of the value: sums of some thousand float64 numbers in another order, three updates long.
      EXPECT_LE(std::abs(channel_of(b, close)[step] - expected), std::ldexp(std::abs(expected), -40))
          << close;
    }
  EXPECT_NE(b.provenance().at("device").at("name"), "");
}

TEST_F(DeviceProgramTest, ARunOnAGpuHasTheSameBitsTwice) {
  const CommandResult first = on_device("--trace " + (folder / "first.h5").string());
  if (first.status == 3)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  ASSERT_EQ(first.status, 0) << first.output;
  ASSERT_EQ(on_device("--trace " + (folder / "second.h5").string()).status, 0);
  const trace::Trace a = trace::Trace::open(folder / "first.h5"),
                     b = trace::Trace::open(folder / "second.h5");
  for (const char* name : {"loss", "grad_norm", "update_norm"})
    EXPECT_EQ(channel_of(a, name), channel_of(b, name)) << name;
}

}  // namespace
}  // namespace parity::reference
