// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parity::laws {

/// Returns a name with each number between dots replaced: "layers.*.wq.weight".
std::string starred(std::string_view name);

/// Returns groups of tensors that a defect would hit together, by pattern: those of one starred name, and
/// those below each module ("layers.0.*"). Groups of one tensor, and of all, are left out.
std::map<std::string, std::set<std::string>> families(const std::vector<std::string>& names);

/// Returns tensors as text, "every tensor" for all of more than 3. Whole families of `all` appear by their
/// pattern. At most `most` items are listed. Example: "layers.*.wq.weight, norm.weight and 3 more".
std::string describe(const std::set<std::string>& some, const std::vector<std::string>& all, size_t most = 4);

/// Returns whether a parameter is the bias by which a load balance moves a router's choices. No gradient and
/// no optimizer moves it.
inline bool is_router_bias(std::string_view name) {
  return name.find("expert_bias") != std::string_view::npos;
}

}  // namespace parity::laws
