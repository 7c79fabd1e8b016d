// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/local_traces.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/hash.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view start_of_names = "parity-traces-";
constexpr std::string_view start_of_kept = "kept-";
constexpr std::chrono::minutes quiet{1};
constexpr const char* variable = "PARITY_LOCAL_TRACES";

/// Returns how the names of a run's folders begin.
std::string start_of(const fs::path& run_folder) {
  return fmt::format("{}{:016x}.", start_of_names,
                     fnv1a(fs::absolute(run_folder).lexically_normal().string()));
}

/// Takes the lock of a folder of this user. \return -1 if it is not one, or a process has it
int lock_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0)
    return -1;
  struct stat facts = {};
  if (::fstat(descriptor, &facts) == 0 && facts.st_uid == ::geteuid() &&
      ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

void remove_unless_in_use(const fs::path& folder) {
  const int lock = lock_folder(folder);
  if (lock < 0)
    return;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  ::close(lock);
}

bool is_quiet(const fs::path& folder) {
  std::error_code error;
  const auto changed = fs::last_write_time(folder, error);
  return !error && fs::file_time_type::clock::now() - changed > quiet;
}

[[noreturn]] void cannot_use(const fs::path& root, const std::string& why) {
  throw UserError(
      fmt::format("cannot write traces to {} on {} ({}); create this folder on every node, or change "
                  "local_traces",
                  escape_for_terminal(root.string()), host_name(), why));
}

[[noreturn]] void cannot_move(const fs::path& from, const fs::path& to, const std::string& why) {
  throw UserError(fmt::format("cannot move {} of {} to {} ({})", escape_for_terminal(from.string()),
                              host_name(), escape_for_terminal(to.parent_path().string()), why));
}

/// Copies a file and reads the copy back. It takes its name only if it has the size and digest of the file.
CollectedFile copy_checked(const fs::path& from, const fs::path& to) {
  try {
    const CollectedFile file = {from.filename().string(), fs::file_size(from), hash_of_contents(from)};
    TemporaryFile temporary(to);
    std::ofstream out(temporary.path(), std::ios::binary | std::ios::trunc);
    pass_on(from, [&](std::string_view piece) {
      if (!out.write(piece.data(), static_cast<std::streamsize>(piece.size())))
        cannot_move(from, to, std::strerror(errno));
    });
    out.close();
    if (!out)
      cannot_move(from, to, std::strerror(errno));
    if (fs::file_size(temporary.path()) != file.size || hash_of_contents(temporary.path()) != file.digest)
      cannot_move(from, to, "the copy has other bytes; check the file system");
    temporary.take_place();
    return file;
  } catch (const fs::filesystem_error& error) {
    cannot_move(from, to, error.code().message());
  }
}

}  // namespace

Json to_json(const std::vector<CollectedFile>& files) {
  Json rows = Json::array();
  for (const CollectedFile& file : files)
    rows.push_back({{"name", file.name}, {"size", file.size}, {"digest", file.digest}});
  return rows;
}

LocalTraces::LocalTraces(const fs::path& root, fs::path run_folder, const std::string& part)
    : run_folder_(std::move(run_folder)), folder_(root / (start_of(run_folder_) + part)) {
  remove_left_traces(root, {});
  remove_unless_in_use(folder_);
  if (::mkdir(folder_.c_str(), 0700) != 0)
    cannot_use(root, std::strerror(errno));
  lock_ = lock_folder(folder_);
  if (lock_ < 0)
    cannot_use(root, "another process has the folder " + folder_.filename().string());
}

LocalTraces::~LocalTraces() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  ::close(lock_);
}

fs::path LocalTraces::place_of(const fs::path& trace) const {
  return folder_ / trace.filename();
}

void LocalTraces::take_back(const fs::path& trace) const {
  std::error_code error;
  if (!fs::exists(trace, error))
    return;
  copy_checked(trace, place_of(trace));
  fs::remove(trace, error);
}

std::vector<CollectedFile> LocalTraces::collect() {
  return collect([this](const fs::path& file) { return copy_checked(file, run_folder_ / file.filename()); });
}

std::vector<CollectedFile> LocalTraces::collect(const std::function<CollectedFile(const fs::path&)>& move) {
  try {
    return move_all(move);
  } catch (const UserError& error) {
    throw UserError(
        fmt::format("{}; the traces are kept in {}", error.what(), escape_for_terminal(keep().string())),
        error.code());
  }
}

/// Renames the folder, so that no run removes it. \return its new name
fs::path LocalTraces::keep() const {
  const fs::path kept = folder_.parent_path() / (std::string(start_of_kept) + folder_.filename().string());
  std::error_code error;
  fs::remove_all(kept, error);  // of an earlier run of the same
  fs::rename(folder_, kept, error);
  return error ? folder_ : kept;
}

std::vector<CollectedFile> LocalTraces::move_all(
    const std::function<CollectedFile(const fs::path&)>& move) const {
  std::vector<CollectedFile> files;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
    if (std::error_code gone; fs::is_regular_file(at->symlink_status(gone)))
      files.push_back(move(at->path()));
  if (error)
    cannot_move(folder_, run_folder_ / "trace.h5", error.message());
  return files;
}

std::string local_traces_of(const PlannedRun& run) {
  if (!run.launch.local_traces.empty())
    return run.launch.local_traces;
  const char* root = std::getenv(variable);
  if (root == nullptr || *root == '\0' || (run.launch.starts_itself() && run.launch.nodes > 1))
    return "";
  if (*root != '/')
    throw UserError(
        fmt::format("cannot use {} = {} (not an absolute path); name a folder that every node has", variable,
                    parity::quoted(root)));
  return root;
}

void remove_left_traces(const fs::path& root, const fs::path& run_folder) {
  const std::string start = run_folder.empty() ? std::string(start_of_names) : start_of(run_folder);
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(start) && (!run_folder.empty() || is_quiet(at->path())))
      remove_unless_in_use(at->path());
}

std::string missing_part(const fs::path& run_folder, const Json& files) {
  for (const Json& row : files) {
    const fs::path file = run_folder / text_or(row, "name");
    std::error_code error;
    const uintmax_t size = fs::file_size(file, error);
    if (error)
      return fmt::format("{} is not in {}", file.filename().string(),
                         escape_for_terminal(run_folder.string()));
    if (size != static_cast<uintmax_t>(integer_or(row, "size", -1)))
      return fmt::format("{} has {} bytes here, and {} there", file.filename().string(), size,
                         integer_or(row, "size", -1));
    if (hash_of_contents(file) != text_or(row, "digest"))
      return fmt::format("{} has other bytes here than there", file.filename().string());
  }
  return "";
}

}  // namespace parity::suite
