// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/weights/names.hpp"

namespace parity::reference {

/// Converts own tensors to saved ones, in the order of `rule.saved`. Values only move, so on the meta device
/// this gives the shapes alone.
/// \param own  in the order of `rule.own`; the result may share their memory
std::vector<torch::Tensor> to_saved(const NameRule& rule, const std::vector<torch::Tensor>& own,
                                    const ModelDimensions& dimensions);

/// Converts saved tensors to own ones: the inverse of to_saved(), with its shapes.
std::vector<torch::Tensor> to_own(const NameRule& rule, const std::vector<torch::Tensor>& saved,
                                  const ModelDimensions& dimensions);

}  // namespace parity::reference
