// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/mapped_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace parity::trace {

MappedFile::MappedFile(const std::filesystem::path& path, uint64_t size) : size_(size) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw UserError(fmt::format("cannot map {} ({})", path.string(), std::strerror(errno)));
  try {
    map(descriptor, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

MappedFile::MappedFile(int descriptor, const std::filesystem::path& path, uint64_t size) : size_(size) {
  map(descriptor, path);
}

void MappedFile::map(int descriptor, const std::filesystem::path& path) {
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED)
    throw UserError(fmt::format("cannot map {} ({})", path.string(), std::strerror(errno)));
  data_ = static_cast<std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  ::munmap(data_, size_);
}

void MappedFile::release(const std::byte* data, size_t bytes) const {
  // A page fault also maps the surrounding pages, this many bytes at a time.
  constexpr size_t granule = size_t{64} << 10;
  if (std::less<>{}(data, data_) || !std::less<>{}(data, data_ + size_))
    return;
  const auto first = static_cast<size_t>(data - data_), last = std::min(first + bytes, size_);
  const size_t begin = first / granule * granule;
  const size_t end = std::min((last + granule - 1) / granule * granule, size_);
  ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
  // Page faults alone read little ahead, which costs seven times the system time for a file that is not
  // cached. The following pages may already belong to another thread. Each page is requested once, even if
  // all are present.
  const size_t length = end - begin, after = std::min(end + length, size_);
  ::madvise(data_ + after, std::min(length, size_ - after), MADV_WILLNEED);
}

}  // namespace parity::trace
