// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// Returns in what two results.json differ that must be one where they are merged: schema, producer (name,
/// version, commit, dirty) and environment, but for the number of cores, the profile of the first case and
/// the shard. One string each: "commit: 1a2b in out/s1, 3c4d in out/s2". Empty if nothing differs.
/// \param folder  where `results` lie, for the words
std::vector<std::string> differences_of_origin(const Json& results, const std::string& folder,
                                               const Json& others, const std::string& other_folder);

}  // namespace parity
