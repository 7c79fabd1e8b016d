// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace parity::reference {

/// Tells a launcher how far this rank has come: a file of one JSON object {"step": 3, "phase": "train"},
/// replaced whole each time.
class Heartbeat {
 public:
  /// \param file  empty = no heartbeat
  explicit Heartbeat(std::filesystem::path file) : file_(std::move(file)) {}

  void beat(int64_t step, std::string_view phase) const;

 private:
  std::filesystem::path file_;
};

}  // namespace parity::reference
