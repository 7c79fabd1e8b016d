// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns the differences between two results.json in members that must be equal for a merge, one string
/// each: "commit: 1a2b in out/s1, 3c4d in out/s2". Empty if there are none.
///
/// The members are schema, producer (name, version, commit, dirty) and environment without the number of
/// cores, the profile of the first case and the shard.
/// \param folder  folder of `results`, for messages
std::vector<std::string> differences_of_origin(const Json& results, const std::string& folder,
                                               const Json& others, const std::string& other_folder);

}  // namespace parity::suite
