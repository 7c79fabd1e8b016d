// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/imported_rollouts.hpp"

#include <cmath>
#include <limits>

#include "harness/base/error.hpp"
#include "harness/base/files/data_names.hpp"
#include "harness/base/json/json.hpp"
#include "reference/data/data_file.hpp"
#include "reference/data/formats/json_lines.hpp"
#include "reference/data/parquet/parquet_rows.hpp"

namespace parity::reference {
namespace {

/// The members of one rollout, and messages that name its place.
class Line {
 public:
  /// \param members  of a line of JSON, or of a row of Parquet
  Line(std::string place, Json members) : place_(std::move(place)), members_(std::move(members)) {
    rule(!members_.is_discarded(),
         "is not JSON, which has no NaN or Infinity; write an object a line, and null for an unknown number");
    rule(members_.is_object(), "is not an object; write {\"prompt\": [...], \"tokens\": [...], ...}");
  }

  Rollout rollout(int64_t vocab_size) const {
    Rollout result;
    result.prompt = tokens("prompt", vocab_size);
    result.completion = tokens("tokens", vocab_size);
    result.logprobs = logprobs(result.completion.size());
    result.loss_mask.assign(result.completion.size(), true);
    result.reward = number("reward");
    result.version = version();
    return result;
  }

 private:
  void rule(bool holds, const std::string& what) const {
    if (!holds)
      throw UserError("data.path: " + place_ + " " + what);
  }

  const Json& member(const std::string& name) const {
    const auto found = members_.find(name);
    rule(found != members_.end(),
         "has no \"" + name + "\" (a rollout has prompt, tokens, logprobs, reward and version); add it");
    return *found;
  }

  const Json& list(const std::string& name) const {
    const Json& value = member(name);
    rule(value.is_array() && !value.empty(), "has no list of numbers as \"" + name + "\"; give one or more");
    return value;
  }

  std::vector<int64_t> tokens(const std::string& name, int64_t vocab_size) const {
    std::vector<int64_t> result;
    for (const Json& value : list(name)) {
      rule(value.is_number_integer(),
           "has " + value.dump() + " in \"" + name + "\" (tokens are integers); correct it");
      const auto token = value.get<int64_t>();
      rule(token >= 0 && token < vocab_size, "has the token " + value.dump() + " in \"" + name +
                                                 "\" (the vocabulary has " + std::to_string(vocab_size) +
                                                 "); use the tokenizer of this model");
      result.push_back(token);
    }
    return result;
  }

  std::vector<double> logprobs(size_t tokens) const {
    const Json& values = list("logprobs");
    rule(values.size() == tokens, "has " + std::to_string(tokens) + " tokens and " +
                                      std::to_string(values.size()) +
                                      " log probabilities (each token has one); give as many");
    std::vector<double> result;
    for (const Json& value : values) {
      rule(value.is_null() || value.is_number(),
           "has " + value.dump() + " as a log probability; give a number");
      result.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
      rule(!(result.back() > 0), "has the log probability " + value.dump() +
                                     " (a probability is at most 1); give natural logarithms");
    }
    return result;
  }

  double number(const std::string& name) const {
    const Json& value = member(name);
    rule(value.is_number() && std::isfinite(value.get<double>()),
         "has " + value.dump() + " as \"" + name + "\"; give a finite number");
    return value.get<double>();
  }

  int64_t version() const {
    const Json& value = member("version");
    rule(value.is_number_integer() && value.get<int64_t>() >= 0,
         "has " + value.dump() +
             " as \"version\" (it counts the updates of the policy that wrote the tokens); give 0 or more");
    return value.get<int64_t>();
  }

  std::string place_;
  Json members_;
};

}  // namespace

ImportedRollouts::ImportedRollouts(const RunConfig& config, int64_t vocab_size)
    : path_(config.data.path), rows_(config.completions()) {
  if (is_parquet_name(path_.string()))
    read_rows(vocab_size);
  else
    read_lines(vocab_size);
  if (rollouts_.empty())
    refuse_empty_data(path_);
  check_groups(config.rl);
}

void ImportedRollouts::read_lines(int64_t vocab_size) {
  for_each_json_line(path_, [&](int64_t number, Json line) {
    lines_.push_back(number);
    rollouts_.push_back(Line(place_of_line(number), std::move(line)).rollout(vocab_size));
  });
}

void ImportedRollouts::read_rows(int64_t vocab_size) {
  for (const Json& row : read_parquet_rows(path_, {{.name = "prompt"},
                                                   {.name = "tokens"},
                                                   {.name = "logprobs", .nulls_in_lists = true},
                                                   {.name = "reward"},
                                                   {.name = "version"}})) {
    lines_.push_back(static_cast<int64_t>(lines_.size()) + 1);
    rollouts_.push_back(Line(place_of_line(lines_.back()), row).rollout(vocab_size));
  }
}

void ImportedRollouts::check_groups(const RlConfig& rl) const {
  size_t prompt = 0, first = 0, end = static_cast<size_t>(rl.group_of(0));
  for (size_t i = 0; i < rollouts_.size(); ++i) {
    const bool begins_update = i % static_cast<size_t>(rows_) == 0;
    if (begins_update || i == end) {
      prompt = begins_update ? 0 : prompt + 1;
      first = i;
      end = i + static_cast<size_t>(rl.group_of(prompt));
    }
    if (rollouts_[i].prompt != rollouts_[first].prompt)
      throw UserError("data.path: " + place_of_line(lines_[i]) + " has another prompt than line " +
                      std::to_string(lines_[first]) + " (" +
                      (rl.group_sizes.empty() ? "rl.group_size" : "of rl.group_sizes") + " = " +
                      std::to_string(end - first) +
                      " successive lines complete one prompt); order the lines or change that key");
  }
}

std::vector<Rollout> ImportedRollouts::of_update(int64_t update) const {
  const int64_t first = (update - 1) * rows_, all = static_cast<int64_t>(rollouts_.size());
  if (first + rows_ > all)
    throw UserError("data.path: " + path_.string() + " has " + std::to_string(all) +
                    " rollouts, and update " + std::to_string(update) + " needs those up to " +
                    std::to_string(first + rows_) + "; train " + std::to_string(all / rows_) +
                    " steps or give more rollouts");
  return {rollouts_.begin() + first, rollouts_.begin() + first + rows_};
}

bool ImportedRollouts::has_update(int64_t update) const {
  return update * rows_ <= static_cast<int64_t>(rollouts_.size());
}

std::string ImportedRollouts::place(int64_t update, int64_t row) const {
  const auto index = static_cast<size_t>((update - 1) * rows_ + row);
  return place_of_line(lines_[index]);
}

std::string ImportedRollouts::place_of_line(int64_t number) const {
  return path_.filename().string() + ":" + std::to_string(number);
}

}  // namespace parity::reference
