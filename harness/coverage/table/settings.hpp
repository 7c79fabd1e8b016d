// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/suite/cases/flat_config.hpp"

/// What the rows of the table ask of a config, and the settings that several recipes share.
namespace parity::coverage {

/// Returns whether a key is true.
bool flag_of(const suite::FlatConfig& config, const std::string& key);

/// Returns whether a key is a list with entries.
bool has_entries(const suite::FlatConfig& config, const std::string& key);

/// Returns whether a key has a text that is neither missing nor its default.
bool is_set(const suite::FlatConfig& config, const std::string& key, std::string_view unset);

/// Returns whether a key is a number above 0.
bool is_positive(const suite::FlatConfig& config, const std::string& key);

/// Returns whether a key is a number above 1, such as a number of ranks.
bool is_divided(const suite::FlatConfig& config, const std::string& key);

/// Joins settings whose keys differ.
suite::FlatConfig plus(suite::FlatConfig one, const suite::FlatConfig& other);

/// The vocabulary of a policy: digits and marks alone. With more tokens no completion has a reward, and no
/// policy a gradient.
constexpr int64_t policy_tokens = 12;

/// \name Settings that give a feature to the small run
///@{
suite::FlatConfig tensor_ranks();
suite::FlatConfig sharded();
suite::FlatConfig context_ranks();
suite::FlatConfig pipeline_stages();
suite::FlatConfig micro_batches();
suite::FlatConfig restart();
suite::FlatConfig packed();
suite::FlatConfig packed_file();  ///< whose documents have lengths of their own
suite::FlatConfig padded();
suite::FlatConfig experts();
suite::FlatConfig latent();
suite::FlatConfig adapters(const std::vector<std::string>& targets);
suite::FlatConfig rollouts();
suite::FlatConfig packed_rollouts();
suite::FlatConfig backend(const char* name);
///@}

}  // namespace parity::coverage
