// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/comm/group.hpp"
#include "reference/config/choices.hpp"
#include "reference/model/parameter.hpp"
#include "reference/rl/weight_sync/transfer_plan.hpp"

namespace parity::reference {

/// The tensors of a model that a rank holds.
struct ModelTensors {
  Parameters parameters;  ///< whole, or this rank's shards, as their layouts say
  Parameters buffers;     ///< tensors that are not trained: the biases of routers

  ModelTensors(Parameters trained, Parameters others = {})  // NOLINT(google-explicit-constructor)
      : parameters(std::move(trained)), buffers(std::move(others)) {}
};

/// Settings of a push that must be equal on all ranks.
struct PushTerms {
  PushMethod method = PushMethod::direct;
  torch::ScalarType dtype = torch::kBFloat16;  ///< dtype in which parameters move; buffers keep theirs
  int64_t bucket_bytes = 0;
};

/// Exchanges descriptions of the tensors between all ranks. Collective.
/// \return in the order of the first rank's model, then the other tensors of other ranks (pipeline stages)
/// \throws UserError with the same text on every rank: the ranks' terms differ, or a layout does not fit its
/// tensor. Also if the trained and the served model differ in names or logical shapes, or a served tensor's
/// dtype is not the transferred one
std::vector<SpreadTensor> spread_tensors(const ModelTensors& trained, const ModelTensors& served,
                                         const PushTerms& terms, const Group& world);

torch::ScalarType scalar_type_of(DType dtype);

}  // namespace parity::reference
