// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/text/escape_for_terminal.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

std::string reason() {
  return std::strerror(errno);
}

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& why) {
  throw UserError(fmt::format("cannot write {} ({}); free some space or choose another folder",
                              escape_for_terminal(path.string()), why));
}

constexpr std::string_view temporary_start = ".parity-";
constexpr std::string_view temporary_end = ".tmp";

/// Returns a short name, so that a file with a long name can have a temporary one too. Unique for each
/// thread.
std::string temporary_name() {
  static std::atomic<unsigned> next = 0;
  return std::string(temporary_start) + std::to_string(::getpid()) + "-" + std::to_string(next++) +
         std::string(temporary_end);
}

[[noreturn]] void fail_to_read(const fs::path& path, const std::string& why) {
  throw UserError(fmt::format("cannot read {} ({})", escape_for_terminal(path.string()), why));
}

/// Owns an open file descriptor.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0)
      ::close(value);
  }
};

/// Passes every byte of a regular file to `sink`, or throws. A std::ifstream would mistake a failed read for
/// the end of the file and return a truncated file.
void read_blocks(const fs::path& path, uint64_t most, const Sink& sink) {
  // O_NONBLOCK: opening a pipe would otherwise wait for its writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat facts{};
  if (file.value < 0 || ::fstat(file.value, &facts) != 0)
    fail_to_read(path, reason());
  if (!S_ISREG(facts.st_mode))
    fail_to_read(path, S_ISDIR(facts.st_mode) ? "it is a folder" : "it is a device or a pipe");
  // The size is 0 for files that the kernel generates, as in /proc.
  const auto size = static_cast<uint64_t>(facts.st_size);
  if (size > most)
    fail_to_read(path, fmt::format("it is larger than {} bytes", most));
  std::vector<char> block(1 << 16);
  uint64_t done = 0;
  while (true) {
    const ssize_t got = ::read(file.value, block.data(), block.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail_to_read(path, reason());
    if (got == 0)
      break;
    done += static_cast<uint64_t>(got);
    if (done > most)
      fail_to_read(path, fmt::format("it is larger than {} bytes", most));
    sink({block.data(), static_cast<size_t>(got)});
  }
  if (done < size)
    fail_to_read(path, fmt::format("it ended after {} of its {} bytes", done, size));
}

/// Creates a file under a new name. An existing path could be a link that leads elsewhere.
/// \return its path; empty with the cause in errno if it cannot be created
fs::path new_temporary(const fs::path& folder) {
  while (true) {
    fs::path path = folder / temporary_name();
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      return path;
    }
    if (errno != EEXIST)
      return {};
  }
}

}  // namespace

std::ifstream open_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    fail_to_read(path, "it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail_to_read(path, "it is a device or a pipe");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    fail_to_read(path, reason());
  return in;
}

std::string read_head(const fs::path& path, size_t most) {
  std::ifstream stream = open_file(path);
  std::string head(most, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(most));
  if (stream.bad())
    fail_to_read(path, reason());
  head.resize(static_cast<size_t>(stream.gcount()));
  return head;
}

std::string read_file(const fs::path& path, uint64_t most) {
  std::string contents;
  read_blocks(path, most, [&](std::string_view piece) { contents += piece; });
  return contents;
}

UserError error_of(const fs::filesystem_error& error) {
  const std::string path = error.path1().empty() ? "a file" : escape_to_line(error.path1().string());
  return UserError(
      fmt::format("cannot use {} ({}); check the path and its permissions", path, error.code().message()));
}

void remove_temporaries(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(temporary_start) &&
        (name.ends_with(temporary_end) || name.ends_with(".tmp.journal")))
      fs::remove(at->path(), ignored);
  }
}

TemporaryFile::TemporaryFile(fs::path target) : target_(std::move(target)) {
  std::error_code error;
  const fs::path folder = target_.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    fs::create_directories(folder, error);
  if (error)
    fail_to_write(target_, error.message());
  path_ = new_temporary(folder);
  if (path_.empty())
    throw_cannot_write(target_);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!path_.empty())
    fs::remove(path_, ignored);
}

void TemporaryFile::take_place() {
  std::error_code error;
  fs::rename(path_, target_, error);
  if (error)
    fail_to_write(target_, error.message());
  path_.clear();
}

void pass_on(const fs::path& path, const Sink& sink) {
  read_blocks(path, UINT64_MAX, sink);
}

void throw_cannot_write(const fs::path& path) {
  fail_to_write(path, reason());
}

NewFile::NewFile(const fs::path& target)
    : target_(target), temporary_(target), stream_(temporary_.path(), std::ios::binary | std::ios::trunc) {
  if (!stream_)
    throw_cannot_write(target_);
}

void NewFile::write(std::string_view piece) {
  if (!stream_.write(piece.data(), static_cast<std::streamsize>(piece.size())))
    throw_cannot_write(target_);
}

void NewFile::finish() {
  stream_.close();
  if (!stream_)
    throw_cannot_write(target_);
  temporary_.take_place();
}

void write_file(const fs::path& path, std::string_view contents) {
  NewFile file(path);
  file.write(contents);
  file.finish();
}

std::string path_from_here(const fs::path& file) {
  const fs::path relative = fs::absolute(file).lexically_proximate(fs::current_path());
  return relative.native().starts_with("..") ? file.string() : relative.string();
}

}  // namespace parity
