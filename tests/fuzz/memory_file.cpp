// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_file.hpp"

#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace parity::fuzz {

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("parity-fuzz", MFD_CLOEXEC)) {
  require(descriptor_ >= 0, "cannot make a file in memory");
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    require(written > 0, "cannot write a file in memory");
    done += static_cast<size_t>(written);
  }
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

std::filesystem::path MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

}  // namespace parity::fuzz
