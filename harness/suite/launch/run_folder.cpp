// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/run_folder.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_file = 16 << 20;

}  // namespace

std::optional<std::string> SeenFolder::read(const std::string& name) const {
  const fs::path file = folder_ / name;
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return std::nullopt;
  try {
    return read_file(file, largest_file);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void SeenFolder::write(const std::string& name, std::string_view content) const {
  write_file(folder_ / name, content);
}

bool SeenFolder::claim(const std::string& name) const {
  const fs::path path = folder_ / name;
  const int claim = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (claim < 0 && errno != EEXIST)
    throw UserError(fmt::format("cannot write {} ({}); give all machines the folder of --out under one path",
                                path.string(), std::strerror(errno)));
  if (claim >= 0)
    ::close(claim);
  return claim >= 0;
}

}  // namespace parity::suite
