// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/features.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/coverage/table/rows.hpp"

namespace parity::coverage {
using suite::FlatConfig;

const std::vector<Feature>& features() {
  static const std::vector<Feature> table = [] {
    std::vector<Feature> all;
    for (std::vector<Feature>& some :
         std::vector{layouts(), ways_to_compute(), kinds_of_training(), parts_of_models(), files_of_tokens(),
                     policies(), narrow_types_and_actors()})
      std::move(some.begin(), some.end(), std::back_inserter(all));
    return all;
  }();
  return table;
}

size_t find_feature(std::string_view name) {
  std::vector<std::string> known;
  for (size_t i = 0; i < features().size(); ++i) {
    if (features()[i].name == name)
      return i;
    known.emplace_back(features()[i].name);
  }
  throw UserError(fmt::format("unknown feature {}{}", quoted(name), suggestion(name, known)));
}

const FlatConfig& small_run() {
  static const FlatConfig settings = {
      {"model", "llama3.debug"},
      {"steps", 8},
      {"architecture.dim", 32},
      {"architecture.n_layers", 2},
      {"architecture.n_heads", 4},
      {"architecture.n_kv_heads", 2},
      {"architecture.vocab_size", 128},
      {"architecture.ffn_hidden", 64},
      {"data.seq_len", 32},
      {"data.global_batch", 8},
      {"lr.base", 1e-2},
  };
  return settings;
}

std::optional<FlatConfig> join(const FlatConfig& one, const FlatConfig& other) {
  FlatConfig both = one;
  for (const auto& [key, value] : other)
    if (!both.emplace(key, value).second && both.at(key) != value && key != "lr.base")
      return std::nullopt;
  return both;
}

FlatConfig with_settings(const FlatConfig& settings) {
  FlatConfig all = small_run();
  for (const auto& [key, value] : settings)
    all[key] = value;
  return all;
}

}  // namespace parity::coverage
