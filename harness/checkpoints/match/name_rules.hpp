// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parity::checkpoints {

/// Names that the user gives: pattern of the expected side, pattern of the actual side. "*" stands for any
/// part of a name, and the n-th one of both patterns for the same part. A pattern names tensors, or modules
/// whose tensors keep their last part, such as ".weight".
using NameRules = std::vector<std::pair<std::string, std::string>>;

/// Parses "OURS=THEIRS" words. \throws UserError for a word without both names, or with other numbers of "*"
NameRules parse_name_rules(const std::vector<std::string>& words);

/// Returns the expected side's name for a name of the actual side; nothing if no rule matches it.
std::optional<std::string> rename(const std::string& name, const NameRules& rules);

}  // namespace parity::checkpoints
