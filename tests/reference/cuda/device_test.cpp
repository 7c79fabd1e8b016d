// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/cuda/device.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "tests/support/places.hpp"

namespace parity::reference {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DeviceTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("PRETENDED_DEVICES");
    ::unsetenv("PRETENDED_USED");
  }
  static Device open(int64_t local_rank) {
    return open_device(DeviceChoice::cuda, local_rank,
                       places::build + "/tests/libparity_pretended_plugin.so");
  }
  static std::string refusal(int64_t local_rank) {
    try {
      open(local_rank);
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::missing);
      EXPECT_EQ(::getenv("PRETENDED_USED"), nullptr);
      return error.what();
    }
    return "";
  }
};

TEST_F(DeviceTest, TheCpuNeedsNoPlugin) {
  const Device device = open_device(DeviceChoice::cpu, 3, "/no/such/plugin.so");
  EXPECT_TRUE(device.is_cpu());
  EXPECT_EQ(device.place, c10::Device(c10::kCPU));
  device.synchronize();
}

TEST_F(DeviceTest, EachRankOfAMachineHasItsOwnAndItIsMadeReady) {
  ::setenv("PRETENDED_DEVICES", "2", 1);
  const Device device = open(1);
  EXPECT_FALSE(device.is_cpu());
  EXPECT_EQ(device.place, c10::Device(c10::kCUDA, 1));
  EXPECT_STREQ(::getenv("PRETENDED_USED"), "1");
}

TEST_F(DeviceTest, WithoutOneTheReasonAndTheRemedyAreTold) {
  EXPECT_EQ(refusal(0),
            "device = \"cuda\" needs a GPU (they are made up); run it on a machine with one, or set device = "
            "\"cpu\"");
}

TEST_F(DeviceTest, ARankBeyondTheDevicesIsToldHowManyThereAre) {
  ::setenv("PRETENDED_DEVICES", "1", 1);
  EXPECT_THAT(refusal(1), AllOf(HasSubstr("rank 1 of this machine has none: there is 1"),
                                HasSubstr("CUDA_VISIBLE_DEVICES")));
  ::setenv("PRETENDED_DEVICES", "2", 1);
  EXPECT_THAT(refusal(2), HasSubstr("rank 2 of this machine has none: there are 2"));
}

}  // namespace
}  // namespace parity::reference
