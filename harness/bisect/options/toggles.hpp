// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/search/delta_debugging.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity {

/// A config key in which two sides differ.
struct OptionToggle {
  std::string key;
  std::optional<Json> good, bad;  ///< nothing where only the other side has the key

  std::string describe_bad() const;  ///< "lr.first_index = 1", "without train.compile"
  Json to_json() const;
};

/// In the order of their keys.
std::vector<OptionToggle> toggles_between(const FlatConfig& good, const FlatConfig& bad);

/// The toggles whose keys stand in a text, in the order in which they stand there. A key is none where more
/// of a longer key follows ("parallel.pp" is not in "parallel.pp_stages").
std::vector<size_t> toggles_named_in(const std::string& text, const std::vector<OptionToggle>& toggles);

/// What a trainer's refusals taught about options that go only together: whoever has all of `who` switched on
/// needs `what` too.
struct OptionNeed {
  Toggles who;
  size_t what = 0;
};

/// The toggles of `all` that are not in `part`.
Toggles without(const Toggles& all, const Toggles& part);

/// The set with everything that its members need.
Toggles closed_under(const std::vector<OptionNeed>& needs, Toggles on);

/// What is to be learnt from a refusal of the config with `on` switched on: the first toggle of `free` that
/// the message names and that is off goes with those that it names and that are on (all of them, if it names
/// none). \return nothing if the message names none
std::optional<OptionNeed> need_from(const std::string& refusal, const std::vector<OptionToggle>& toggles,
                                    const Toggles& on, const Toggles& free);

}  // namespace parity
