// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/bounded_log.hpp"

#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parity::suite {

void BoundedLog::trim() {
  const int file = ::open(file_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return;
  struct stat facts = {};
  const bool known = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const auto size = static_cast<uint64_t>(known ? facts.st_size : 0);
  std::string end(bounds_.tail, '\0');
  if (size > bounds_.most &&
      ::pread(file, end.data(), end.size(), static_cast<off_t>(size - end.size())) ==
          static_cast<ssize_t>(end.size()) &&
      ::ftruncate(file, static_cast<off_t>(bounds_.head)) == 0) {
    left_out_ += size - bounds_.head - bounds_.tail - note_bytes_;
    const std::string note = fmt::format("\n[... {} bytes left out here ...]\n", left_out_);
    note_bytes_ = note.size();
    end.insert(0, note);
    [[maybe_unused]] const ssize_t written = ::write(file, end.data(), end.size());
  }
  ::close(file);
}

}  // namespace parity::suite
