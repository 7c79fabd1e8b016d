// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/folder_lock.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/utc.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw UserError(fmt::format("cannot write to {} ({}); choose another folder with --out",
                              escape_for_terminal(folder.string()), why));
}

/// Returns "process 123 since 2026-01-01T00:00:00Z, running: parity run", as far as the lock file says.
std::string describe_owner(int descriptor) {
  std::array<char, 4096> text;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  const Json owner = size > 0 ? read_json({text.data(), static_cast<size_t>(size)}) : Json();
  if (!owner.is_object() || !owner.contains("pid") || !owner["pid"].is_number_integer())
    return "another process";
  const auto word = [&](const char* key) {
    return owner.contains(key) && owner[key].is_string() ? escape_to_line(owner[key].get<std::string>())
                                                         : "?";
  };
  const std::string host = word("host");  // of a shared folder, it may be another
  return fmt::format("process {}{} since {}, running: {}", owner["pid"].dump(),
                     host == host_name() || host == "?" ? "" : " on " + host, word("started"),
                     word("command"));
}

/// Tries to take the lock for a moment: a child of an owner that was just killed may still hold it.
bool takes_lock(int descriptor) {
  for (int i = 0; i < 20; ++i) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const std::string& command) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    fs::create_directories(folder, error);
  if (error)
    refuse(folder, error.message());
  descriptor_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0)
    refuse(folder, std::strerror(errno));
  if (!takes_lock(descriptor_)) {
    const std::string owner = describe_owner(descriptor_);
    ::close(descriptor_);
    throw UserError(
        fmt::format("cannot use folder {} (in use by {}); wait for that process to end, or choose another "
                    "folder with --out",
                    escape_for_terminal(folder.string()), owner));
  }
  const std::string owner = json_text({{"pid", ::getpid()},
                                       {"host", host_name()},
                                       {"started", utc_now()},
                                       {"command", command.substr(0, 1000)}});
  // The lock is valid even if its owner cannot be written, on a full disk.
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, owner.data(), owner.size(), 0) < 0)
    errno = 0;
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

}  // namespace parity
