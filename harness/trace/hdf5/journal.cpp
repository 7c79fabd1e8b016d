// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/journal.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/measure/tensor/content_hash.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view magic = "parity.journal/1";
constexpr size_t digest_size = 32;
/// A commit may write one place several times.
constexpr uint64_t most_beyond_file = uint64_t{16} << 20;

[[noreturn]] void refuse_journal(const fs::path& journal, const std::string& why) {
  throw UserError(fmt::format("cannot read {} ({}); remove this journal to use its file without it",
                              escape_for_terminal(journal.string()), why));
}

/// Returns the digest of a journal's text. A journal has a magic number, then offset and size (8 bytes each)
/// and the bytes of each write, then the digest of everything before it.
std::string digest_of_text(std::string_view text) {
  measure::ContentHash hash;
  hash.add(text);
  return hash.hex();
}

std::string encode(const std::vector<JournalWrite>& writes) {
  std::string text(magic);
  for (const JournalWrite& write : writes) {
    const uint64_t header[2] = {write.offset, write.bytes.size()};
    text.append(reinterpret_cast<const char*>(header), sizeof header);
    text.append(reinterpret_cast<const char*>(write.bytes.data()), write.bytes.size());
  }
  return text + digest_of_text(text);
}

/// Returns the writes of a whole journal; none of a torn one, whose file has not been changed yet.
/// \param size  size of the file [bytes]
std::vector<JournalWrite> decode(std::string_view text, const fs::path& journal, uint64_t size) {
  std::vector<JournalWrite> writes;
  if (text.size() < magic.size() + digest_size || !text.starts_with(magic))
    return writes;
  const std::string_view digest = text.substr(text.size() - digest_size);
  text.remove_suffix(digest_size);
  if (digest_of_text(text) != digest)
    return writes;
  text.remove_prefix(magic.size());
  while (!text.empty()) {
    uint64_t header[2];
    if (text.size() < sizeof header)
      refuse_journal(journal, "its digest is valid and its lengths are not, so parity did not write it");
    std::memcpy(header, text.data(), sizeof header);
    text.remove_prefix(sizeof header);
    if (text.size() < header[1])
      refuse_journal(journal, "its digest is valid and its lengths are not, so parity did not write it");
    if (header[0] > size || header[1] > size - header[0])
      refuse_journal(journal, "it writes beyond the end of its file, so parity did not write it");
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    writes.push_back({header[0], {first, first + header[1]}});
    text.remove_prefix(header[1]);
  }
  return writes;
}

int overwrite(int descriptor, const std::vector<JournalWrite>& writes) {
  for (const JournalWrite& write : writes)
    if (const int error = write_fully(descriptor, write.bytes.data(), write.bytes.size(), write.offset))
      return error;
  return 0;
}

}  // namespace

int write_fully(int descriptor, const void* data, size_t size, uint64_t offset) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor, from, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : EIO;
    from += written;
    size -= static_cast<size_t>(written);
    offset += static_cast<uint64_t>(written);
  }
  return 0;
}

fs::path journal_path(const fs::path& file) {
  fs::path path = file;
  path += ".journal";
  return path;
}

Journal::Journal(const fs::path& file)
    : path_(journal_path(file)),
      descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  if (descriptor_ < 0)
    throw UserError(fmt::format("cannot create {} ({})", path_.string(), std::strerror(errno)));
}

Journal::~Journal() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

int Journal::commit(int descriptor, const std::vector<JournalWrite>& writes) {
  const std::string text = encode(writes);
  if (const int error = write_fully(descriptor_, text.data(), text.size(), 0))
    return error;
  if (const int error = overwrite(descriptor, writes))
    return error;
  return ::ftruncate(descriptor_, 0) == 0 ? 0 : errno;
}

std::vector<JournalWrite> committed_writes(const fs::path& file, uint64_t size, uint64_t stored) {
  const fs::path journal = journal_path(file);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(journal, error);
  if (status.type() == fs::file_type::not_found)
    return {};
  if (!fs::is_regular_file(status))
    refuse_journal(journal, "it is not a regular file");
  return decode(read_file(journal, stored + most_beyond_file), journal, size);
}

void recover(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat facts{};
  int error = descriptor < 0 || ::fstat(descriptor, &facts) != 0 ? errno : 0;
  if (error == 0) {
    const auto size = static_cast<uint64_t>(facts.st_size);
    error = overwrite(descriptor, committed_writes(file, size, size));
  }
  if (descriptor >= 0)
    ::close(descriptor);
  if (error != 0)
    throw UserError(fmt::format("cannot write {} ({})", file.string(), std::strerror(error)));
}

}  // namespace parity::trace
