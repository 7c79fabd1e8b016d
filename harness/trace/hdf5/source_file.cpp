// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/source_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_source(const fs::path& path, const std::string& why,
                                ExitCode code = ExitCode::bad_input) {
  throw UserError(fmt::format("cannot read {} ({})", escape_for_terminal(path.string()), why), code);
}

/// Returns the number of bytes outside holes. File systems without holes report all bytes as data.
uint64_t data_bytes(int descriptor, uint64_t size) {
  constexpr int most_extents = 100'000;
  uint64_t total = 0;
  off_t at = 0;
  for (int i = 0; i < most_extents && static_cast<uint64_t>(at) < size; ++i) {
    const off_t first = ::lseek(descriptor, at, SEEK_DATA);
    const off_t stop = first < 0 ? -1 : ::lseek(descriptor, first, SEEK_HOLE);
    if (stop < 0)
      return errno == ENXIO ? total : size;  // ENXIO: a hole up to the end
    total += static_cast<uint64_t>(stop - first);
    at = stop;
  }
  return total;
}

}  // namespace

bool is_being_written(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

SourceFile::SourceFile(const fs::path& path, Links links) {
  try {
    open(path, links);
  } catch (...) {
    if (descriptor_ >= 0)
      ::close(descriptor_);
    throw;
  }
}

SourceFile::~SourceFile() {
  // A mapping keeps the file open and would keep the lock.
  ::flock(descriptor_, LOCK_UN);
  ::close(descriptor_);
}

void SourceFile::open(const fs::path& path, Links links) {
  // O_NONBLOCK: opening a pipe would otherwise wait for its writer.
  const int mode = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refused ? O_NOFOLLOW : 0);
  descriptor_ = ::open(path.c_str(), mode);
  if (descriptor_ < 0 && errno == ELOOP && links == Links::refused)
    refuse_source(
        path, "it is a symbolic link, and links in a repository are not followed; put the file itself there");
  if (descriptor_ < 0)
    refuse_source(path, std::strerror(errno), errno == ENOENT ? ExitCode::missing : ExitCode::bad_input);
  if (::flock(descriptor_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse_source(path, "a running process is writing it; wait for that process to end");
  struct stat facts{};
  if (::fstat(descriptor_, &facts) != 0)
    refuse_source(path, std::strerror(errno));
  if (!S_ISREG(facts.st_mode))
    refuse_source(path, S_ISDIR(facts.st_mode) ? "it is a folder" : "it is a device or a pipe");
  size_ = static_cast<uint64_t>(facts.st_size);
  // Fewer bytes than the size on a compressed file system.
  const uint64_t blocks = static_cast<uint64_t>(facts.st_blocks) * 512;
  stored_ = blocks >= size_ ? size_ : std::max(std::min(blocks, size_), data_bytes(descriptor_, size_));
  if (path.extension() == ".partial")
    committed_ = committed_writes(fs::canonical(path), size_, stored_);
}

int SourceFile::read(uint64_t offset, size_t size, void* out) const {
  auto* bytes = static_cast<std::byte*>(out);
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::pread(descriptor_, bytes + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : EIO;
    done += static_cast<size_t>(got);
  }
  for (const JournalWrite& write : committed_) {
    const uint64_t first = std::max(offset, write.offset);
    const uint64_t stop = std::min<uint64_t>(offset + size, write.offset + write.bytes.size());
    if (first < stop)
      std::memcpy(bytes + (first - offset), write.bytes.data() + (first - write.offset), stop - first);
  }
  return 0;
}

bool SourceFile::is_hdf5() const {
  constexpr std::string_view signature = "\211HDF\r\n\032\n";
  char found[signature.size()];
  // The signature may follow a user block, whose size is a power of two.
  for (uint64_t at = 0; at + signature.size() <= size_; at = at == 0 ? 512 : 2 * at)
    if (read(at, signature.size(), found) == 0 && signature == std::string_view(found, signature.size()))
      return true;
  return false;
}

}  // namespace parity::trace
