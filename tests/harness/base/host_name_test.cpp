// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/host_name.hpp"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace parity {
namespace {

TEST(HostNameTest, IsTheNodeOfUname) {
  utsname system = {};
  ASSERT_EQ(::uname(&system), 0);
  EXPECT_EQ(host_name(), system.nodename);
}

}  // namespace
}  // namespace parity
