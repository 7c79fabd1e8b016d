// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/frozen.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::reference {

bool is_trained(const RunConfig& config, const std::string& parameter) {
  if (config.lora.rank > 0 && parameter.find(".lora_") == std::string::npos)
    return false;
  return std::ranges::none_of(config.train.freeze,
                              [&](const std::string& pattern) { return glob_match(pattern, parameter); });
}

void check_freeze(const RunConfig& config, const std::vector<std::string>& parameters) {
  for (const std::string& pattern : config.train.freeze)
    if (std::ranges::none_of(parameters, [&](const std::string& name) { return glob_match(pattern, name); }))
      throw UserError("cannot use train.freeze = '" + pattern + "' (no parameter has such a name)" +
                      suggestion(pattern, parameters));
  if (std::ranges::none_of(parameters, [&](const std::string& name) { return is_trained(config, name); }))
    throw UserError("cannot use train.freeze (it matches every parameter that would train); leave one out");
}

}  // namespace parity::reference
