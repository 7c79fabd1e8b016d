// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/far/far_rank.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/plan/command_words.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_heartbeat = 64 << 10;
constexpr uint64_t longest_log = 8 << 20;  ///< of this machine; what was passed on is then cut off

constexpr size_t log_piece = 256 << 10;

/// What parity wrote for every rank.
bool is_common_input(const std::string& name) {
  return name == "config.json" || name == "capture.json";
}

}  // namespace

FarRank::FarRank(const FarClient& parity, fs::path folder, fs::path stand_in, int rank)
    : parity_(parity), folder_(std::move(folder)), stand_in_(std::move(stand_in)), rank_(rank) {
  fs::create_directories(stand_in_);
}

void FarRank::prepare(ProcessSpec& spec) {
  const auto move = [&](std::string& text) { replace_all(text, folder_.string(), stand_in_.string()); };
  for (std::string& word : spec.argv)
    move(word);
  for (auto& [name, value] : spec.environment)
    move(value);
  for (fs::path* log : {&spec.stdout_file, &spec.stderr_file}) {
    logs_[log->filename().string()] = 0;
    *log = stand_in_ / log->filename();
  }
  if (const auto beat = spec.environment.find("PARITY_HEARTBEAT"); beat != spec.environment.end())
    heartbeat_name_ = fs::path(beat->second).filename().string();
  for (const std::string& name : parity_.list())
    if (is_common_input(name) || (rank_ == 0 && name.starts_with("checkpoint/")))
      parity_.fetch(name, stand_in_ / name);
}

void FarRank::take_back(const fs::path& trace, const fs::path& to) const {
  const std::string name = trace.filename().string();
  const std::vector<std::string> names = parity_.list();
  if (std::ranges::find(names, name) == names.end())
    return;
  parity_.fetch(name, to);
  parity_.remove(name);
}

void FarRank::pass_on() {
  if (parity_.is_closed())
    throw ConnectionLost("it closed the connection");
  pass_on_heartbeat();
  for (const auto& [name, passed] : logs_)
    pass_on_log(stand_in_ / name);
}

void FarRank::pass_on_heartbeat() {
  const fs::path file = stand_in_ / heartbeat_name_;
  std::error_code error;
  if (heartbeat_name_.empty() || !fs::is_regular_file(file, error))
    return;
  std::string now;
  try {
    now = read_file(file, largest_heartbeat);
  } catch (const UserError&) {
    return;  // being replaced
  }
  if (now == heartbeat_)
    return;
  heartbeat_ = now;
  parity_.write(heartbeat_name_, now);
}

void FarRank::pass_on_log(const fs::path& log) {
  uint64_t& passed = logs_.at(log.filename().string());
  std::ifstream in(log, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(passed));
  std::string piece(log_piece, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    const auto size = static_cast<size_t>(in.gcount());
    parity_.append(log.filename().string(), std::string_view(piece).substr(0, size));
    passed += size;
  }
  if (passed > longest_log && ::truncate(log.c_str(), 0) == 0)
    passed = 0;
}

/// Writes a heartbeat that differs from the last one, so that parity sees that this rank is not stuck.
void FarRank::sign_of_life(const std::string& what) const {
  Json beat = read_json(heartbeat_);
  if (!beat.is_object() || heartbeat_name_.empty())
    return;
  beat["phase"] = what;
  parity_.write(heartbeat_name_, json_text(beat));
}

CollectedFile FarRank::send(const fs::path& file, const std::string& name) const {
  return parity_.send(
      file, name, [&](uint64_t done) { sign_of_life(fmt::format("sent {} MiB of {}", done >> 20, name)); });
}

std::vector<CollectedFile> FarRank::send_rest() {
  pass_on();
  std::vector<CollectedFile> sent;
  std::error_code error;
  for (fs::recursive_directory_iterator at(stand_in_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().lexically_relative(stand_in_).string();
    const bool is_known = name == heartbeat_name_ || logs_.contains(name) || is_common_input(name);
    if (std::error_code gone; !is_known && fs::is_regular_file(at->symlink_status(gone)))
      sent.push_back(send(at->path(), name));
  }
  if (error)
    throw UserError(fmt::format("cannot list {} ({})", stand_in_.string(), error.message()));
  if (!heartbeat_.empty())
    parity_.write(heartbeat_name_, heartbeat_);  // in place of the last sign of life
  return sent;
}

}  // namespace parity::suite
