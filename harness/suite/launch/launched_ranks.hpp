// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/launch/far/server.hpp"
#include "harness/suite/launch/rank_files.hpp"
#include "harness/suite/launch/ranks.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Ranks that a launcher starts, here or on other machines. Each is a process `parity rank`, which reports
/// through files of a folder that all machines see, or that a server here gives them.
class LaunchedRanks : public Ranks {
 public:
  /// Starts the launcher.
  /// \param folder  of the run
  /// \param leg     of a run that restarts
  /// \param specs   one for each rank, as parity would start it
  /// \throws UserError (exit 3) if the launcher is not there
  LaunchedRanks(const PlannedRun& run, const std::filesystem::path& folder, int leg,
                const std::vector<ProcessSpec>& specs);

  std::optional<WaitStatus> ended(size_t rank) override;
  bool all_ended() override;
  pid_t pid(size_t rank) override;
  std::string host(size_t rank) override;
  std::string launch_problem() override;
  std::string lost_part() override;
  void stop(std::chrono::milliseconds grace) override;
  void end_left_processes() override;

  /// The file that has what the launcher printed to stderr.
  static std::filesystem::path log(const std::filesystem::path& folder);

 private:
  void start(const std::filesystem::path& folder, const std::string& mark);
  void look();
  void look_for_end(size_t rank);
  std::string describe_missing() const;
  bool launcher_ended();
  std::string describe_launcher_end();
  std::string describe_lost_rank();
  std::string describe_dead_shell();

  PlannedRun run_;
  RankFiles files_;
  std::unique_ptr<FarServer> server_;  ///< null if all machines see the folder
  std::filesystem::path log_;
  std::vector<Process> launchers_;
  std::vector<std::optional<WaitStatus>> ended_;
  std::string refusal_;
  std::string lost_part_;
  /// When a rank's end was first seen, whose files were not all there.
  std::vector<std::optional<std::chrono::steady_clock::time_point>> waits_for_files_;
  std::chrono::steady_clock::time_point next_look_;
  std::optional<std::chrono::steady_clock::time_point> launcher_end_;
  std::optional<std::chrono::steady_clock::time_point> shell_end_;  ///< of a rank that did not end
};

}  // namespace parity::suite
