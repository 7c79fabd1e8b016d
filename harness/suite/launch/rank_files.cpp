// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/rank_files.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_file = 16 << 20;
constexpr const char* schema = "parity.launch/1";

}  // namespace

fs::path RankFiles::file(int rank, const char* what) const {
  return folder_ / fmt::format("rank.{}{}", rank, what);
}

Json RankFiles::content(const fs::path& file) const {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return nullptr;
  try {
    return read_json(read_file(file, largest_file));
  } catch (const UserError&) {
    return nullptr;
  }
}

void RankFiles::begin(const Json& launch) const {
  std::error_code error;
  fs::remove_all(folder_, error);
  fs::create_directories(folder_, error);
  if (error)
    throw UserError(fmt::format("cannot create {} ({}); choose another folder with --out", folder_.string(),
                                error.message()));
  Json json = launch;
  json["schema"] = schema;
  write_file(folder_ / "launch.json", json_text(json, 1) + "\n");
}

Json RankFiles::launch() const {
  const Json json = content(folder_ / "launch.json");
  return text_or(json, "schema") == schema ? json : Json();
}

void RankFiles::write_rank(int rank, const ProcessSpec& spec) const {
  const Json json = {{"argv", spec.argv},
                     {"environment", spec.environment},
                     {"cores", spec.cores},
                     {"stdout", spec.stdout_file.string()},
                     {"stderr", spec.stderr_file.string()}};
  write_file(file(rank, ".json"), json_text(json, 1) + "\n");
}

ProcessSpec RankFiles::read_rank(int rank) const {
  const Json json = read_json(read_file(file(rank, ".json"), largest_file));
  ProcessSpec spec;
  json.at("argv").get_to(spec.argv);
  json.at("environment").get_to(spec.environment);
  json.at("cores").get_to(spec.cores);
  spec.stdout_file = json.at("stdout").get<std::string>();
  spec.stderr_file = json.at("stderr").get<std::string>();
  return spec;
}

bool RankFiles::claim(int rank) const {
  const fs::path path = file(rank, ".claim");
  const int claim = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (claim < 0 && errno != EEXIST)
    throw UserError(fmt::format("cannot write {} ({}); give all machines the folder of --out under one path",
                                path.string(), std::strerror(errno)));
  if (claim >= 0)
    ::close(claim);
  return claim >= 0;
}

void RankFiles::write_began(int rank, const Json& began) const {
  write_file(file(rank, ".began.json"), json_text(began) + "\n");
}

Json RankFiles::began(int rank) const {
  return content(file(rank, ".began.json"));
}

void RankFiles::write_ended(int rank, const WaitStatus& status, const Json& collected) const {
  Json json = collected;
  json["status"] = status.raw();
  write_file(file(rank, ".ended.json"), json_text(json) + "\n");
}

Json RankFiles::collected(int rank) const {
  return content(file(rank, ".ended.json"));
}

std::optional<WaitStatus> RankFiles::ended(int rank) const {
  const Json json = content(file(rank, ".ended.json"));
  if (!json.is_object() || !json.contains("status") || !json["status"].is_number_integer())
    return std::nullopt;
  return WaitStatus(json["status"].get<int>());
}

void RankFiles::write_stopped(int rank) const {
  write_file(file(rank, ".stopped"), "");
}

bool RankFiles::is_stopped(int rank) const {
  std::error_code none;
  return fs::exists(file(rank, ".stopped"), none);
}

void RankFiles::write_meeting(const std::string& address, int port) const {
  write_file(folder_ / "meeting.json", json_text({{"address", address}, {"port", port}}) + "\n");
}

Json RankFiles::meeting() const {
  return content(folder_ / "meeting.json");
}

void RankFiles::refuse(const std::string& problem) const {
  write_file(folder_ / "refused.json", json_text({{"problem", problem}}) + "\n");
}

std::string RankFiles::refusal() const {
  return text_or(content(folder_ / "refused.json"), "problem");
}

}  // namespace parity::suite
