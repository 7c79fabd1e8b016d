// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/rank_files.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr const char* schema = "parity.launch/1";

}  // namespace

RankFiles::RankFiles(fs::path folder, std::shared_ptr<const RunFolder> seen)
    : folder_(std::move(folder)),
      seen_(seen ? std::move(seen) : std::make_shared<const SeenFolder>(folder_.parent_path())) {}

std::string RankFiles::name(const std::string& file) const {
  return (folder_.filename() / file).string();
}

std::string RankFiles::name(int rank, const char* what) const {
  return name(fmt::format("rank.{}{}", rank, what));
}

Json RankFiles::content(const std::string& name) const {
  const auto text = seen_->read(name);
  return text ? read_json(*text) : Json();
}

void RankFiles::write(const std::string& name, const Json& json) const {
  seen_->write(name, json_text(json) + "\n");
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
  write(name("launch.json"), json);
}

Json RankFiles::launch() const {
  const Json json = content(name("launch.json"));
  return text_or(json, "schema") == schema ? json : Json();
}

void RankFiles::write_rank(int rank, const ProcessSpec& spec) const {
  const Json json = {{"argv", spec.argv},
                     {"environment", spec.environment},
                     {"cores", spec.cores},
                     {"stdout", spec.stdout_file.string()},
                     {"stderr", spec.stderr_file.string()}};
  write(name(rank, ".json"), json);
}

ProcessSpec RankFiles::read_rank(int rank) const {
  const Json json = content(name(rank, ".json"));
  ProcessSpec spec;
  json.at("argv").get_to(spec.argv);
  json.at("environment").get_to(spec.environment);
  json.at("cores").get_to(spec.cores);
  spec.stdout_file = json.at("stdout").get<std::string>();
  spec.stderr_file = json.at("stderr").get<std::string>();
  return spec;
}

bool RankFiles::claim(int rank) const {
  return seen_->claim(name(rank, ".claim"));
}

void RankFiles::write_began(int rank, const Json& began) const {
  write(name(rank, ".began.json"), began);
}

Json RankFiles::began(int rank) const {
  return content(name(rank, ".began.json"));
}

void RankFiles::write_ended(int rank, const WaitStatus& status, const Json& collected) const {
  Json json = collected;
  json["status"] = status.raw();
  write(name(rank, ".ended.json"), json);
}

Json RankFiles::collected(int rank) const {
  return content(name(rank, ".ended.json"));
}

std::optional<WaitStatus> RankFiles::ended(int rank) const {
  const Json json = content(name(rank, ".ended.json"));
  if (!json.is_object() || !json.contains("status") || !json["status"].is_number_integer())
    return std::nullopt;
  return WaitStatus(json["status"].get<int>());
}

void RankFiles::write_stopped(int rank) const {
  seen_->write(name(rank, ".stopped"), "");
}

bool RankFiles::is_stopped(int rank) const {
  return seen_->read(name(rank, ".stopped")).has_value();
}

void RankFiles::write_meeting(const std::string& address, int port) const {
  write(name("meeting.json"), {{"address", address}, {"port", port}});
}

Json RankFiles::meeting() const {
  return content(name("meeting.json"));
}

void RankFiles::refuse(const std::string& problem) const {
  write(name("refused.json"), {{"problem", problem}});
}

std::string RankFiles::refusal() const {
  return text_or(content(name("refused.json")), "problem");
}

}  // namespace parity::suite
