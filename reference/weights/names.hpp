// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "reference/config/model_names.hpp"
#include "reference/config/weight_names.hpp"
#include "reference/weights/name_table.hpp"

namespace parity::reference {

/// Returns the names and forms of a model's weights in files of one kind.
/// \param model  name as in config/model_names; Llama 4's files differ from others
/// \param own    every parameter and buffer
/// Source: the state_dict_adapter.py of torchtitan's models.
NameTable name_table(std::string_view model, const ModelDimensions& dimensions,
                     const std::vector<OwnWeight>& own, WeightNames names);

}  // namespace parity::reference
