// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

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

}  // namespace

std::string read_file(const fs::path& path, uint64_t most) {
  const auto fail = [&](const std::string& why) {
    throw UserError("cannot read " + visible(path.string()) + " (" + why + ")");
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    fail("it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail("it is a device or a pipe");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    fail(reason());
  if (fs::is_regular_file(status) && fs::file_size(path, error) > most && !error)
    fail("it is larger than " + std::to_string(most) + " bytes");
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

void write_file(const fs::path& path, std::string_view contents) {
  TemporaryFile temporary(path);
  std::ofstream out(temporary.path(), std::ios::binary | std::ios::trunc);
  if (!out)
    fail_to_write(path, reason());
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out)
    fail_to_write(path, reason());
  temporary.take_place();
}

std::string path_from_here(const fs::path& file) {
  const fs::path relative = fs::absolute(file).lexically_proximate(fs::current_path());
  return relative.native().starts_with("..") ? file.string() : relative.string();
}

}  // namespace parity
