// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/residues.hpp"

#include <algorithm>

#include "harness/base/json/fields.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/sides/window.hpp"

namespace parity::compare {

Json draw_of(const trace::Trace& trace) {
  const Json& facts = trace.provenance();
  const bool exact = trace.config().is_object() && text_or(trace.config(), "dtype") == "exact";
  return exact && facts.is_object() && facts.contains("residues") ? facts.at("residues") : Json();
}

std::vector<trace::TensorKey> residue_keys(const Check& check, const std::vector<Side>& sides,
                                           const trace::Trace& trace) {
  const ResolvedWindow window = resolve(check.steps, sides);
  std::vector<trace::TensorKey> keys;
  for (const trace::TensorKey& key : tensor_keys(trace))
    if (window.contains(key.step) && key.name.find('@') == std::string::npos &&
        std::ranges::find(residue_phases, key.phase) != residue_phases.end())
      keys.push_back(key);
  return keys;
}

}  // namespace parity::compare
