// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// A file that was moved from a folder of its node to the folder of its run.
struct CollectedFile {
  std::string name;
  uint64_t size = 0;   ///< [bytes]
  std::string digest;  ///< of its bytes, hash_of_contents()
};

Json to_json(const std::vector<CollectedFile>& files);

/// The folder of this node in which ranks write their traces until they are moved to the folder of their run:
/// ROOT/parity-traces-RUN.PART, where RUN stands for the run's folder. A lock, which the kernel drops with
/// this process, marks it as in use. Its destructor removes it with all that is left in it.
class LocalTraces {
 public:
  /// Creates the folder, after removing those that killed processes left below `root`.
  /// \param run_folder  folder of the run, absolute
  /// \param part        whose files: "run", or "rank3"
  /// \throws UserError naming this machine if `root` is not a folder in which this user may write
  LocalTraces(const std::filesystem::path& root, std::filesystem::path run_folder, const std::string& part);
  ~LocalTraces();
  LocalTraces(const LocalTraces&) = delete;
  LocalTraces& operator=(const LocalTraces&) = delete;

  /// Returns where a rank writes the trace that belongs at `trace`, in the folder of the run.
  std::filesystem::path place_of(const std::filesystem::path& trace) const;
  /// Moves a trace from the run's folder to place_of(), for a rank that appends to it. Does nothing if there
  /// is none.
  /// \throws UserError as collect()
  void take_back(const std::filesystem::path& trace) const;
  /// Returns the folder, which other files of the rank may use too, below it.
  const std::filesystem::path& folder() const { return folder_; }
  /// Moves every file to the run's folder: a copy under a temporary name, whose size and bytes are read back,
  /// then a rename.
  /// \throws UserError naming this machine if a file cannot be copied, or the copy differs. The files are
  ///         then kept below the root, in a folder that the message names and parity never removes
  std::vector<CollectedFile> collect();
  /// Moves every file by `move`. \throws UserError as collect()
  std::vector<CollectedFile> collect(const std::function<CollectedFile(const std::filesystem::path&)>& move);

 private:
  std::vector<CollectedFile> move_all(
      const std::function<CollectedFile(const std::filesystem::path&)>& move) const;
  std::filesystem::path keep() const;

  std::filesystem::path run_folder_;
  std::filesystem::path folder_;
  int lock_ = -1;
};

/// Returns the folder of each node in which the ranks of a run write their traces: that of the arm, else
/// PARITY_LOCAL_TRACES, else "". A variable does not count for a command that starts ranks on several nodes
/// by itself. \throws UserError if the variable is not an absolute path
std::string local_traces_of(const PlannedRun& run);

/// Removes the folders of a run, or (run_folder empty) of runs that ended more than a minute ago, below
/// `root` on this machine. Folders of living processes and of other users stay.
void remove_left_traces(const std::filesystem::path& root, const std::filesystem::path& run_folder);

/// Returns why one of these collected files is not in a run's folder as it was sent, in words: "" if all are.
/// A shared file system may show them late.
/// \param files  of to_json()
std::string missing_part(const std::filesystem::path& run_folder, const Json& files);

}  // namespace parity::suite
