// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/llama3/llama3.hpp"
#include "reference/parallel/pipeline_schedule.hpp"

namespace parity::reference {

/// The blocks of each stage: equally many, the first stages one more where that does not divide. So the last
/// stage, which has the output projection too, is never the one with more.
std::vector<Section> sections_of(int64_t layers, int64_t stages);

/// Drops the weights that no stage of a rank uses.
/// \param parameters  of the model, or this rank's parts of them, in the order of the model
/// \return those that are left, in that order
Parameters keep_stages(Llama3& model, const Parameters& parameters, const PipelineShape& shape, int64_t rank);

}  // namespace parity::reference
