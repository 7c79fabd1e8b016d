// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/run_files.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <sys/stat.h>

#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/trace/hdf5/probe.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

using WallClock = std::chrono::system_clock;
constexpr std::chrono::milliseconds tick{20};  // twice that of a kernel with 100 ticks a second

std::string name_in(const fs::path& folder, const fs::path& file) {
  return file.lexically_relative(folder).generic_string();
}

WallClock::time_point changed_at(const fs::path& file) {
  struct stat facts = {};
  if (::stat(file.c_str(), &facts) != 0)
    return {};
  return WallClock::time_point(std::chrono::duration_cast<WallClock::duration>(
      std::chrono::seconds(facts.st_ctim.tv_sec) + std::chrono::nanoseconds(facts.st_ctim.tv_nsec)));
}

}  // namespace

std::vector<fs::path> files_of_run(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".h5")
      files.push_back(at->path());
  std::error_code none;
  for (fs::recursive_directory_iterator at(folder / "checkpoint", none), end; !none && at != end;
       at.increment(none)) {
    std::error_code gone;
    if (at->is_regular_file(gone))
      files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string state_of_run(const fs::path& folder) {
  std::string states;
  for (const fs::path& file : files_of_run(folder))
    states += name_in(folder, file) + " " + trace::file_state(file) + "| ";
  return states;
}

std::string digest_of_run(const fs::path& folder) {
  std::string all;
  for (const fs::path& file : files_of_run(folder))
    all += name_in(folder, file) + " " + hash_of_contents(file) + "\n";
  return content_hash(all);
}

void wait_for_clock_tick(const fs::path& folder) {
  const auto now = WallClock::now();
  for (const fs::path& file : files_of_run(folder))
    if (const auto changed = changed_at(file); changed <= now && now < changed + tick) {
      std::this_thread::sleep_for(tick);
      return;
    }
}

}  // namespace parity::suite
