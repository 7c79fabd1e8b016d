// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/pipeline/schedule.hpp"

namespace parity::reference {

/// Returns the blocks of each stage: equally many, with one more in the first stages if they do not divide.
/// So the last stage, which also has the output projection, never has more blocks than the others.
std::vector<Section> sections_of(int64_t layers, int64_t stages);

/// Returns whether a section of a model of `layers` blocks uses a weight, by its name.
bool uses_weight(const Section& section, int64_t layers, std::string_view name);

/// Drops the weights that no stage of a rank uses.
/// \param parameters  of the model, or this rank's shards, in the order of the model
/// \return the remaining parameters, in that order
Parameters keep_stages(Decoder& model, const Parameters& parameters, const PipelineShape& shape,
                       int64_t rank);

}  // namespace parity::reference
