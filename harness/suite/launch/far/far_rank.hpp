// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/processes/process.hpp"
#include "harness/suite/launch/far/client.hpp"

namespace parity::suite {

/// The stand-in of a run's folder on a machine that does not see it, for one rank. The rank finds the run's
/// inputs there; its logs and heartbeat go to parity while it runs, and what else it leaves when it has
/// ended.
class FarRank {
 public:
  /// \param folder    of the run, on parity's machine
  /// \param stand_in  a new folder of this machine
  FarRank(const FarClient& parity, std::filesystem::path folder, std::filesystem::path stand_in, int rank);

  /// Makes the process use the stand-in, and fetches its inputs: config and capture, for rank 0 a checkpoint.
  void prepare(ProcessSpec& spec);
  /// Moves the rank's trace here if the run has one, to which the rank appends.
  void take_back(const std::filesystem::path& trace, const std::filesystem::path& to) const;
  /// Sends what is new of heartbeat and logs. \throws ConnectionLost also if there is nothing to send
  void pass_on();
  /// Sends a trace, and signs of life meanwhile.
  CollectedFile send(const std::filesystem::path& file, const std::string& name) const;
  /// Sends every other file that the rank left in the stand-in.
  std::vector<CollectedFile> send_rest();

 private:
  void pass_on_log(const std::filesystem::path& log);
  void pass_on_heartbeat();
  void sign_of_life(const std::string& what) const;

  const FarClient& parity_;
  std::filesystem::path folder_, stand_in_;
  int rank_;
  std::string heartbeat_name_, heartbeat_;
  std::map<std::string, uint64_t> logs_;  ///< name -> bytes passed on
};

}  // namespace parity::suite
