// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/attempt.hpp"

#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_task = 64 << 20;

/// Returns a name that grows with time.
std::string new_token() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{:016x}-{:x}", std::chrono::duration_cast<std::chrono::microseconds>(now).count(),
                     ::getpid());
}

}  // namespace

Attempt Attempt::create(const fs::path& parent, Json task) {
  const std::string token = new_token();
  Attempt attempt(parent / token);
  std::error_code error;
  fs::create_directories(attempt.folder_, error);
  if (error)
    throw UserError(fmt::format("cannot create {} ({}); choose another folder with --out",
                                attempt.folder_.string(), error.message()));
  task["schema"] = "parity.job/1";
  task["name"] = "parity-" + token;
  write_file(attempt.folder_ / "job.json", json_text(task, 1) + "\n");
  return attempt;
}

Json Attempt::content(const char* name) const {
  std::error_code error;
  if (!fs::is_regular_file(folder_ / name, error))
    return nullptr;
  try {
    return read_json(read_file(folder_ / name, largest_task));
  } catch (const UserError&) {
    return nullptr;
  }
}

std::string Attempt::name() const {
  return "parity-" + folder_.filename().string();
}

std::string Attempt::id() const {
  return text_or(content("id"), "id");
}

void Attempt::write_id(const std::string& id) const {
  write_file(folder_ / "id", json_text({{"id", id}}) + "\n");
}

void Attempt::write_started(const Json& started) const {
  write_file(folder_ / "started.json", json_text(started) + "\n");
}

void Attempt::write_result(const Json& result) const {
  write_file(folder_ / "result.json", json_text(result, 1) + "\n");
}

bool Attempt::is_cancelled() const {
  std::error_code error;
  return fs::exists(folder_ / "cancelled", error);
}

void Attempt::mark_cancelled() const {
  try {
    write_file(folder_ / "cancelled", "");
  } catch (const UserError&) {
    return;  // the folder is gone
  }
}

}  // namespace parity::suite
