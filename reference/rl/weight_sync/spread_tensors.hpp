// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/comm/group.hpp"
#include "reference/config/choices.hpp"
#include "reference/model/parameter.hpp"
#include "reference/rl/weight_sync/transfer_plan.hpp"

namespace parity::reference {

/// What a rank holds of a model.
struct ModelTensors {
  Parameters parameters;  ///< whole or this rank's parts, as their layouts say
  Parameters buffers;     ///< the same for what is not trained: the biases of routers

  ModelTensors(Parameters trained, Parameters others = {})  // NOLINT(google-explicit-constructor)
      : parameters(std::move(trained)), buffers(std::move(others)) {}
};

/// What all ranks have to agree on.
struct PushTerms {
  PushMethod method = PushMethod::direct;
  torch::ScalarType dtype = torch::kBFloat16;  ///< in which parameters move; buffers keep theirs
  int64_t bucket_bytes = 0;
};

/// Tells all ranks of each other's tensors. Collective.
/// \return in the order of the first rank's model, then what other ranks' (a pipeline's stages) have besides
/// \throws UserError, the same words on every rank: if the ranks' terms differ, a layout is none of its
/// tensor, the trained and the served model differ in names or logical shapes, or a served tensor has another
/// dtype than the one that comes
std::vector<SpreadTensor> spread_tensors(const ModelTensors& trained, const ModelTensors& served,
                                         const PushTerms& terms, const Group& world);

torch::ScalarType scalar_type_of(DType dtype);

}  // namespace parity::reference
