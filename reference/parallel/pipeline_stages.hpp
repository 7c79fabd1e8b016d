// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/pipeline_schedule.hpp"

namespace parity::reference {

/// The blocks of each stage: equally many, the first stages one more where that does not divide. So the last
/// stage, which has the output projection too, is never the one with more.
std::vector<Section> sections_of(int64_t layers, int64_t stages);

/// Whether a section of a model of `layers` blocks uses a weight, by its name.
bool uses_weight(const Section& section, int64_t layers, std::string_view name);

/// Drops the weights that no stage of a rank uses.
/// \param parameters  of the model, or this rank's parts of them, in the order of the model
/// \return those that are left, in that order
Parameters keep_stages(Decoder& model, const Parameters& parameters, const PipelineShape& shape,
                       int64_t rank);

}  // namespace parity::reference
