// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include <unistd.h>

#include "harness/base/visible.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

std::string reason() {
  return std::strerror(errno);
}

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& why) {
  throw UserError("cannot write " + visible(path.string()) + " (" + why +
                  "); free space or choose another folder");
}

constexpr std::string_view temporary_start = ".parity-";
constexpr std::string_view temporary_end = ".tmp";

/// Short, so that any name a folder takes can be written; its own for each thread.
std::string temporary_name() {
  static std::atomic<unsigned> next = 0;
  return std::string(temporary_start) + std::to_string(::getpid()) + "-" + std::to_string(next++) +
         std::string(temporary_end);
}

[[noreturn]] void fail_to_read(const fs::path& path, const std::string& why) {
  throw UserError("cannot read " + visible(path.string()) + " (" + why + ")");
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

std::string read_file(const fs::path& path, uint64_t most) {
  const std::ifstream in = open_file(path);
  std::error_code error;
  if (fs::file_size(path, error) > most && !error)
    fail_to_read(path, "it is larger than " + std::to_string(most) + " bytes");
  std::ostringstream contents;
  contents << in.rdbuf();
  return std::move(contents).str();
}

UserError error_of(const fs::filesystem_error& error) {
  const std::string path = error.path1().empty() ? "a file" : visible_name(error.path1().string());
  return UserError("cannot use " + path + " (" + error.code().message() + "); check the path and its rights");
}

void remove_temporaries(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(temporary_start) && name.ends_with(temporary_end))
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
  path_ = folder / temporary_name();
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
  std::ifstream in = open_file(path);
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    sink({block.data(), static_cast<size_t>(in.gcount())});
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
