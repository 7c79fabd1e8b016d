// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/weights/names.hpp"

namespace parity::reference {

/// The tensors that a file holds in place of own ones, in the order of `rule.saved`. Values move, none is
/// computed, so on the meta device it tells their shapes.
/// \param own  in the order of `rule.own`. They may be shared with the result.
std::vector<torch::Tensor> to_saved(const NameRule& rule, const std::vector<torch::Tensor>& own,
                                    const ModelDimensions& dimensions);

/// The way back: own tensors from saved ones, which have the shapes that to_saved gives.
std::vector<torch::Tensor> to_own(const NameRule& rule, const std::vector<torch::Tensor>& saved,
                                  const ModelDimensions& dimensions);

}  // namespace parity::reference
