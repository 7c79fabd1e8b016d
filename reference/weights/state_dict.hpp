// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/config/weight_names.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/weights/name_table.hpp"

namespace parity::reference {

/// Loads the weights of a file, of an index with its shards, or of a folder into a whole model on the CPU. It
/// accepts every kind of WeightNames. Values are converted to the model's dtype; a wider dtype is rounded.
///
/// Everything is checked first. Complaints are missing names, names of no weight, other shapes, and dtypes
/// other than float64, float32, bfloat16 and float16. A tied model's output projection must be its embedding.
/// \param model_name  as in config/model_names
/// \return the kind of names found
/// \throws UserError with all complaints, before any change
WeightNames load_weights(Decoder& model, const std::string& model_name, const std::filesystem::path& path);

/// Refuses weights that files of a kind cannot hold, before anything is written.
/// \param own  names and whole shapes, of all weights or of some
/// \throws UserError for adapters, and for weights without a name there
void check_saves_weights(WeightNames names, const std::string& model_name, const ModelDimensions& dimensions,
                         const std::vector<OwnWeight>& own);

/// Checks that save_weights can write to a place, before a run trains for it.
/// \throws UserError if the folder cannot be written to; for a path that ends in a slash as
/// check_distributed_place
void check_place_of_weights(const std::filesystem::path& path);

/// Writes weights in their own dtype, for load_weights and the program that `names` names: a safetensors
/// file, an index and its shards, or for a path that ends in a slash a folder of
/// torch.distributed.checkpoint.
/// \param weights  whole, on the CPU: all of a model's, under their own names
/// \throws UserError if the file cannot be written
void save_weights(const std::filesystem::path& path, WeightNames names, const std::string& model_name,
                  const ModelDimensions& dimensions, const Parameters& weights);

}  // namespace parity::reference
