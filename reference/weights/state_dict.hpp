// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "reference/config/weight_names.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Gives a whole model on the CPU the weights of a safetensors file, or of a folder of them, whatever names
/// of WeightNames they have. Values are converted to the model's dtype, a wider one rounded.
///
/// Everything is checked first: a name that is missing or belongs to no weight, another shape, a dtype that
/// is none of float64, float32, bfloat16, float16, a tied model's output projection that is not its
/// embedding.
/// \param model_name  as config/model_names has it
/// \return the names found
/// \throws UserError with every complaint; then nothing was changed
WeightNames load_weights(Decoder& model, const std::string& model_name, const std::filesystem::path& path);

/// Writes weights as a safetensors file in their own dtype, which load_weights and the named program read.
/// \param weights  whole, on the CPU: all of a model's, under their own names
/// \throws UserError if the file cannot be written
void save_weights(const std::filesystem::path& path, WeightNames names, const std::string& model_name,
                  const ModelDimensions& dimensions, const Parameters& weights);

}  // namespace parity::reference
