// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/json/json.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Makes this process the exact twin of a run: from now on every operator computes residues.
/// \param key  draws them
void begin_exact_twin(const RunConfig& config, uint64_t key,
                      ExactConstants constants = ExactConstants::binary);

/// Returns what residues depend on, for the trace's provenance, since only residues of one draw can be
/// compared: their prime, a fingerprint of their key, how constants are taken, and the update after which a
/// checkpoint of values was loaded, if one was. Null outside of an exact twin.
Json describe_residues();
/// States that this twin begins after an update, from a checkpoint of values.
void begin_residues_after(int64_t update);

/// Lets the residues of a tensor pass collectives with its values. Does nothing outside of an exact twin.
void follow_collectives(const Group& world);

/// Returns whether a recorded tensor is an operator's input or output. Its elements need no residue: a mask
/// of -inf has none.
bool is_of_operator(const std::string& name);

/// Returns what a trace keeps of a tensor: its residues of level 0 as int64 in an exact twin, else the
/// tensor.
/// \throws UserError if an element has no residue
torch::Tensor recorded(const torch::Tensor& x, const std::string& name);

/// Gives the weights of a whole model their residues, by name and place in the common order of rows
/// (common_order.hpp), and renews the input of every norm.
/// Does nothing outside of an exact twin. Call it before the model is split over ranks.
void draw_residues(Decoder& model);

/// Lets the parameters that the optimizer changes keep all levels. Does nothing outside of an exact twin.
void keep_levels(const Parameters& parameters);

}  // namespace parity::reference
