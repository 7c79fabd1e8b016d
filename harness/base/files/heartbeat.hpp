// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace parity {

/// Reports the progress of this rank to a launcher, in a file of one JSON object of constant length:
///
///     {"step": 3, "phase": "train", "collectives": 120, "waits_in": "all_reduce over tp"}
///
/// `collectives` counts those that have begun, and `waits_in` names the current one, "" while the rank
/// computes. The file is mapped into memory, so a collective costs no system call and the last report
/// survives the rank.
class Heartbeat {
 public:
  /// \param file  "{rank}" in it stands for the rank; empty = no heartbeat
  /// \throws UserError if it cannot be created
  Heartbeat(const std::filesystem::path& file, int64_t rank);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// \param waits_in  what this rank now does together with others; "" = it computes
  void beat(int64_t step, std::string_view phase, std::string_view waits_in = "");
  /// \param waits_in  "" when the collective has ended
  void collective(int64_t number, std::string_view waits_in);

 private:
  void write();

  char* memory_ = nullptr;
  int64_t step_ = 0;
  int64_t collectives_ = 0;
  std::string phase_;
  std::string waits_in_;
};

}  // namespace parity
