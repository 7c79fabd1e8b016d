// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/traces_read.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::suite {
namespace {

/// Returns the words of an arm that may name traces of other arms: those of its command, or moe.replay.
std::vector<std::string> trace_words(const Case& source, const Arm& arm) {
  if (arm.is_command())
    return arm.command;
  for (const Overrides* overrides : {&arm.config, &source.base})
    if (const auto found = overrides->find(replay_key);
        found != overrides->end() && found->second.value.is_string()) {
      const auto trace = found->second.value.get<std::string>();
      return trace.empty() ? std::vector<std::string>{} : std::vector{trace};
    }
  return {};
}

}  // namespace

std::vector<std::string> arms_read_by(const Case& source, const Arm& arm) {
  std::vector<std::string> read;
  for (const std::string& word : trace_words(source, arm))
    for (size_t begin = word.find("{trace:"); begin != std::string::npos;
         begin = word.find("{trace:", begin + 1)) {
      const size_t end = word.find('}', begin);
      const std::string name = word.substr(begin + 7, end == std::string::npos ? end : end - begin - 7);
      std::vector<std::string> known;
      for (const Arm& other : source.arms)
        if (!other.is_command() && trace_words(source, other).empty())
          known.push_back(other.name);
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw UserError(fmt::format("{}: {{trace:{}}} names no arm that parity-train runs without a trace{}",
                                    arm.place.text(), escape_to_line(name), suggestion(name, known)));
      read.push_back(name);
    }
  return read;
}

bool may_read_traces(const Case& source, const Arm& arm) {
  return arm.is_command() || !trace_words(source, arm).empty();
}

bool is_replayed(const Case& source, const Arm& arm) {
  return std::ranges::any_of(source.arms, [&](const Arm& other) {
    return !other.is_command() && std::ranges::any_of(trace_words(source, other), [&](const auto& word) {
      return word.find("{trace:" + arm.name + "}") != std::string::npos;
    });
  });
}

}  // namespace parity::suite
