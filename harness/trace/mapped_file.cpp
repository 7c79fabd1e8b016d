// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace parity {

MappedFile::MappedFile(const std::filesystem::path& path, uint64_t size) : size_(size) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = descriptor < 0 ? MAP_FAILED : ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0)
    ::close(descriptor);
  if (mapped == MAP_FAILED)
    throw UserError("cannot map " + path.string() + " (" + reason + ")");
  data_ = static_cast<std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  ::munmap(data_, size_);
}

}  // namespace parity
