// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/cuda/load_plugin.hpp"
#include "tests/support/places.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {

/// Tests on real GPUs, through the plug-in that was built; a rank has one each. They are skipped if
/// `devices()` are too few.
class GpuTest : public RanksTest {
 protected:
  static std::filesystem::path built() { return places::build + "/bin/libparity-cuda.so"; }

  Device device(int64_t rank) const override { return open_device(DeviceChoice::cuda, rank, built()); }

  /// Counted in a process of its own: CUDA does not survive a fork.
  static int devices() {
    if (!std::filesystem::exists(built()))
      return 0;
    int found = 0;
    const pid_t child = ::fork();
    if (child == 0) {
      std::string why;
      ::_exit(load_plugin(built()).count(why));
    }
    ::waitpid(child, &found, 0);
    return WIFEXITED(found) ? WEXITSTATUS(found) : 0;
  }
};

}  // namespace parity::reference
