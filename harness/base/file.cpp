// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

std::string reason() {
  return std::strerror(errno);
}

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& why) {
  throw UserError("cannot write " + path.string() + " (" + why + "); free space or choose another folder");
}

}  // namespace

std::string read_file(const fs::path& path) {
  if (fs::is_directory(path))
    throw UserError("cannot read " + path.string() + " (it is a folder)");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UserError("cannot read " + path.string() + " (" + reason() + ")");
  std::ostringstream contents;
  contents << in.rdbuf();
  return std::move(contents).str();
}

void write_file(const fs::path& path, std::string_view contents) {
  std::error_code ignored;
  if (path.has_parent_path())
    fs::create_directories(path.parent_path(), ignored);
  fs::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out)
    fail_to_write(path, reason());
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out) {
    const std::string why = reason();
    fs::remove(temporary, ignored);
    fail_to_write(path, why);
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) {
    fs::remove(temporary, ignored);
    fail_to_write(path, error.message());
  }
}

FolderLock::FolderLock(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const fs::path file = folder / ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    fail_to_write(file, reason());
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    char owner[32] = {};
    const bool known = ::read(descriptor_, owner, sizeof owner - 1) > 0;
    ::close(descriptor_);
    throw UserError(folder.string() + " is in use by " +
                    (known ? "process " + std::string(owner) : "another process") +
                    " (two runs would overwrite each other); wait for it, or give --out another folder");
  }
  const std::string owner = std::to_string(::getpid());
  if (::ftruncate(descriptor_, 0) != 0 || ::write(descriptor_, owner.data(), owner.size()) < 0)
    fail_to_write(file, reason());
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

}  // namespace parity
