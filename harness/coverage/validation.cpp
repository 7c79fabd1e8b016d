// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/validation.hpp"

#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/process.hpp"

namespace parity::coverage {
namespace fs = std::filesystem;
namespace {

/// The files of one conversation with a trainer, removed at the end.
class Files {
 public:
  explicit Files(const fs::path& folder) : stem_((folder / fmt::format("check.{}", getpid())).string()) {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
  }
  ~Files() {
    for (const fs::path& file : {question(), answer(), complaint()}) {
      std::error_code ignored;
      fs::remove(file, ignored);
    }
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  fs::path question() const { return stem_ + ".json"; }
  fs::path answer() const { return stem_ + ".out"; }
  fs::path complaint() const { return stem_ + ".err"; }

 private:
  std::string stem_;
};

constexpr auto longest_check = std::chrono::minutes(5);

Json ask(const fs::path& trainer, const Files& files, const Json& configs) {
  write_file(files.question(), json_text(configs));
  ProcessSpec spec;
  spec.argv = {trainer.string(), "--check", files.question().string()};
  spec.stdout_file = files.answer();
  spec.stderr_file = files.complaint();
  Process process = Process::spawn(spec);
  const std::optional<WaitStatus> ended = process.wait_for(longest_check);
  if (!ended || !ended->succeeded())
    throw UserError(fmt::format("cannot ask {} which configs it accepts ({}{}); rebuild it, or name another "
                                "with --trainer",
                                trainer.string(), ended ? ended->text() : "it did not end",
                                ": " + tail_of(files.complaint(), 3)),
                    ExitCode::missing);
  return read_json(read_file(files.answer()));
}

Answer answer_of(const Json& json) {
  Answer answer;
  answer.problem = text_or(json, "problem", "the trainer gave no answer");
  answer.ranks = integer_or(json, "ranks", 1);
  if (const auto model = json.find("model"); model != json.end())
    answer.model = suite::flatten(*model);
  return answer;
}

}  // namespace

Validator trainer_validator(const fs::path& trainer, const fs::path& folder) {
  return [trainer, folder](const std::vector<suite::FlatConfig>& configs) {
    Json list = Json::array();
    for (const suite::FlatConfig& config : configs)
      list.push_back(suite::nest(config));
    const Files files(folder);
    const Json answers = ask(trainer, files, list);
    if (!answers.is_array() || answers.size() != configs.size())
      throw UserError(fmt::format("cannot use the answer of {} (expected a list of {}); rebuild it",
                                  trainer.string(), configs.size()));
    std::vector<Answer> all;
    for (const Json& each : answers)
      all.push_back(answer_of(each));
    return all;
  };
}

suite::FlatConfig with_model(suite::FlatConfig config, const Answer& answer) {
  for (const auto& [key, value] : answer.model)
    config[key] = value;
  return config;
}

}  // namespace parity::coverage
