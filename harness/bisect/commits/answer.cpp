// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/answer.hpp"

#include <algorithm>
#include <regex>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

constexpr const char* schema = "parity.commit_answer/1";
constexpr const char* ended_file = "ended";

Json to_json(const CommitAnswer& answer, const fs::path& folder) {
  Json traces = Json::object();
  for (const auto& [arm, file] : answer.traces)
    traces[arm] = file.lexically_relative(folder).generic_string();
  return {{"schema", schema},
          {"state", name_of(answer.state)},
          {"reason", answer.reason},
          {"traces", traces},
          {"program", answer.program},
          {"seconds", answer.seconds},
          {"log", answer.log.empty() ? "" : answer.log.lexically_relative(folder).generic_string()}};
}

std::optional<CommitState> state_of(const Json& json) {
  const std::vector<std::string> names = names_of<CommitState>();
  const auto found = std::find(names.begin(), names.end(), text_or(json, "state"));
  if (text_or(json, "schema") != schema || found == names.end())
    return std::nullopt;
  return static_cast<CommitState>(found - names.begin());
}

/// Returns an answer from JSON. Its paths are relative to the folder of the question, which may move.
std::optional<CommitAnswer> from_json(const Json& json, const fs::path& folder) {
  const std::optional<CommitState> state = state_of(json);
  if (!state || !json.contains("traces") || !json["traces"].is_object())
    return std::nullopt;
  CommitAnswer answer;
  answer.state = *state;
  answer.reason = text_or(json, "reason");
  answer.program = text_or(json, "program");
  answer.seconds = number_or(json, "seconds", 0);
  if (const std::string log = text_or(json, "log"); !log.empty())
    answer.log = folder / log;
  for (const auto& [arm, file] : json["traces"].items()) {
    if (!file.is_string() || !fs::is_regular_file(folder / file.get<std::string>()))
      return std::nullopt;
    answer.traces[arm] = folder / file.get<std::string>();
  }
  return answer;
}

/// Returns a message with # for each number, hexadecimal ones as well. Addresses, sizes and durations differ
/// between runs that fail alike.
std::string without_numbers(const std::string& message) {
  static const std::regex number("0x[0-9a-fA-F]+|[0-9]+([.][0-9]+)*");
  return std::regex_replace(message, number, "#");
}

}  // namespace

std::string CommitAnswer::failure() const {
  for (const std::string_view status : {"exit status ", "killed by signal "})
    if (const size_t at = reason.find(status); at != std::string::npos) {
      const size_t end = std::min(reason.find_first_not_of("0123456789", at + status.size()), reason.size());
      return reason.substr(at, end - at) + without_numbers(reason.substr(end));
    }
  return without_numbers(reason);
}

bool is_same_state(const CommitAnswer& a, const CommitAnswer& b, bool by_failure) {
  const bool failures = a.state == CommitState::crashed || (by_failure && a.state == CommitState::failed);
  return a.state == b.state && (!failures || a.failure() == b.failure());
}

bool CommitAnswer::has_arms(const std::vector<std::string>& arms) const {
  return state != CommitState::measured ||
         std::all_of(arms.begin(), arms.end(), [&](const std::string& arm) { return traces.contains(arm); });
}

CommitAnswers::CommitAnswers(const fs::path& out, const Json& question, bool keep)
    : folder_(fs::absolute(out / "answers" / suite::content_hash(question.dump()).substr(0, 16))),
      question_(question) {
  if (!keep || fs::exists(folder_ / ended_file))
    fs::remove_all(folder_);
  resumed_ = fs::exists(folder_);
  write_file(folder_ / "question.json", json_text(question, 1) + "\n");
}

void CommitAnswers::forget() {
  fs::remove_all(folder_);
  write_file(folder_ / "question.json", json_text(question_, 1) + "\n");
  resumed_ = false;
}

void CommitAnswers::end() const {
  write_file(folder_ / ended_file, "");
}

std::optional<CommitAnswer> CommitAnswers::find(const std::string& tree) const {
  const fs::path file = folder(tree) / "answer.json";
  if (!fs::is_regular_file(file))
    return std::nullopt;
  return from_json(read_json(read_file(file)), folder_);
}

std::optional<CommitAnswer> CommitAnswers::find_program(const std::string& program) const {
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.is_directory())
      if (auto answer = find(entry.path().filename().string());
          answer && answer->program == program && answer->state != CommitState::skipped)
        return answer;
  return std::nullopt;
}

void CommitAnswers::keep(const std::string& tree, const CommitAnswer& answer) const {
  write_file(folder(tree) / "answer.json", json_text(to_json(answer, folder_), 1) + "\n");
}

}  // namespace parity::bisect
