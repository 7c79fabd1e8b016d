// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/trace/format/phase.hpp"
#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

class Decoder;
class Pipeline;
struct ModelInput;

/// A loss or gradient that is not finite ends a run (exit 4).
class NonFinite : public UserError {
 public:
  /// \param what    "loss" or "grad_norm", with its value in `value`
  /// \param tensor  the first tensor that is not finite, in model order; empty if only `what` itself is not
  NonFinite(int64_t step, const std::string& what, double value, Phase phase, const std::string& tensor);

  /// For Recorder::failure.
  Json to_json() const;

 private:
  int64_t step_;
  Phase phase_;
  std::string tensor_;
};

// All ranks of a run call these together, and are told the same.

/// `value`, or one that is not finite if some rank has such a one.
double worst_of_ranks(double value, const Group& world);
/// First in model order, on any rank; empty if all are finite.
/// \param parameters  that this rank holds. \param model  every parameter, in order
std::string first_non_finite_value(const Parameters& parameters, const Parameters& model, const Group& world);
std::string first_non_finite_gradient(const Parameters& parameters, const Parameters& model,
                                      const Group& world);
/// First block result of a forward pass that is not finite, in execution order, on any rank.
std::string first_non_finite_activation(const Decoder& model, const ModelInput& input, const Group& world);
std::string first_non_finite_activation(const Pipeline& pipeline, const ModelInput& piece,
                                        const Group& world);

}  // namespace parity::reference
