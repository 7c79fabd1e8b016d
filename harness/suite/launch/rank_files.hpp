// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/launch/run_folder.hpp"

namespace parity::suite {

/// The files by which parity and the ranks that a launcher started know of each other. Every machine of the
/// run sees the folder, or reaches it through parity (far/client.hpp).
///
/// | file               | written by | holds                                                               |
/// |--------------------|------------|---------------------------------------------------------------------|
/// | launch.json        | parity     | {"schema", "launcher", "nodes", "ranks", "cpu", "gpus", "timeout",  |
/// |                    |            | "local_traces"}                                                     |
/// | rank.R.json        | parity     | the process of rank R: words, variables, cores, files for its output |
/// | rank.R.claim       | rank R     | nothing; a second rank R is refused                                 |
/// | rank.R.began.json  | rank R     | {"host", "pid"}                                                     |
/// | rank.R.ended.json  | rank R     | {"status"}: that of wait(2); {"files", "problem"} of local traces   |
/// | rank.R.stopped     | rank R     | nothing; the launcher stopped it, so it is not the first cause      |
/// | meeting.json       | rank 0     | {"address", "port"} at which the ranks meet                         |
/// | refused.json       | a process  | {"problem"}: why it cannot be a rank of the run                     |
class RankFiles {
 public:
  /// \param seen  the run's folder as this process reaches it; by default the one above `folder`
  explicit RankFiles(std::filesystem::path folder, std::shared_ptr<const RunFolder> seen = nullptr);

  const std::filesystem::path& folder() const { return folder_; }
  /// Removes what an earlier start left, and writes launch.json. \throws UserError
  void begin(const Json& launch) const;
  /// Returns launch.json; null if it is missing, damaged or of another version.
  Json launch() const;

  void write_rank(int rank, const ProcessSpec& spec) const;
  /// \throws UserError or Json::exception if the file is missing or damaged
  ProcessSpec read_rank(int rank) const;

  /// Returns whether this process is the first with that rank. \throws UserError if the folder is not
  /// writable
  bool claim(int rank) const;
  void write_began(int rank, const Json& began) const;
  Json began(int rank) const;  ///< null before
  /// \param collected  {"files"}: traces moved to the run's folder, {"problem"}: why one could not be
  void write_ended(int rank, const WaitStatus& status, const Json& collected = Json::object()) const;
  std::optional<WaitStatus> ended(int rank) const;
  /// Returns what write_ended() wrote; null before.
  Json collected(int rank) const;

  void write_stopped(int rank) const;
  bool is_stopped(int rank) const;

  void write_meeting(const std::string& address, int port) const;
  Json meeting() const;  ///< null before

  void refuse(const std::string& problem) const;
  std::string refusal() const;  ///< "" if no process was refused

 private:
  std::string name(const std::string& file) const;
  std::string name(int rank, const char* what) const;
  Json content(const std::string& name) const;
  void write(const std::string& name, const Json& json) const;

  std::filesystem::path folder_;
  std::shared_ptr<const RunFolder> seen_;
};

}  // namespace parity::suite
