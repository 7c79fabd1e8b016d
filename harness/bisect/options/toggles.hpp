// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/search/delta_debugging.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::bisect {

/// A config key whose values differ between the two sides.
struct OptionToggle {
  std::string key;
  std::optional<Json> good, bad;  ///< not set if only the other side has the key

  std::string describe_bad() const;  ///< "lr.first_index = 1", "without train.compile"
  Json to_json() const;
};

/// Returns the differing keys of two configs, in the order of their keys.
std::vector<OptionToggle> toggles_between(const suite::FlatConfig& good, const suite::FlatConfig& bad);

/// Returns the toggles whose keys are in a text, in the order of the text. Matches whole keys only
/// ("parallel.pp" is not in "parallel.pp_stages").
std::vector<size_t> toggles_named_in(const std::string& text, const std::vector<OptionToggle>& toggles);

/// A dependency between options, learned from a trainer's refusal: if all of `who` are on, `what` must be on.
struct OptionNeed {
  Toggles who;
  size_t what = 0;
};

/// Returns the toggles of `all` that are not in `part`.
Toggles without(const Toggles& all, const Toggles& part);

/// Returns the set with everything that its members need.
Toggles closed_under(const std::vector<OptionNeed>& needs, Toggles on);

/// Returns the dependency that a refusal of the config with `on` switched on shows.
///
/// Its `what` is the first toggle of `free` that the message names and that is off. Its `who` are the toggles
/// that the message names and that are on, or all that are on if it names none of them.
/// \return nothing if the message names no such toggle of `free`
std::optional<OptionNeed> need_from(const std::string& refusal, const std::vector<OptionToggle>& toggles,
                                    const Toggles& on, const Toggles& free);

}  // namespace parity::bisect
