// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::coverage {

/// Whether an arm has a feature. `unknown`: its config allows it, and no trace says whether it acted.
enum class Held { no, yes, unknown };
constexpr auto enum_names(Held) {
  return named<Held::unknown>("state of a feature", {"no", "yes", "not run"});
}

/// Something that a run may do without a key that says so.
///
/// | name            | acts                                               | seen in | | clipping        | a
/// gradient norm is above clip.max_norm             | channel grad_norm                | | ignored_labels  |
/// an update has fewer valid labels than tokens       | channel valid_tokens             | | empty_rank | a
/// rank's rows have no valid label                  | tensor labels of phase input     | | document_cut    |
/// a document goes on in another rank's part of a row | tensor positions of phase input  | | routing_ties |
/// two experts have one score for a token             | tensors *.moe.router of forward  |
struct Act {
  std::string_view name;
  /// Returns whether a config allows it.
  bool (*may_act)(const suite::FlatConfig& config);
  /// Returns whether it acted; `unknown` if the trace lacks what would show it.
  Held (*acted)(const suite::FlatConfig& config, const trace::Trace& trace);
};

/// Returns the table of acts.
const std::vector<Act>& acts();

/// Returns the act with this name. \throws InternalError if there is none
const Act& find_act(std::string_view name);

/// Returns whether an act happened in a run: `no` if the config does not allow it.
/// \param trace  of the run; null: it was not run
Held held(const Act& act, const suite::FlatConfig& config, const trace::Trace* trace);

}  // namespace parity::coverage
