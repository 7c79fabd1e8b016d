// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/trace/format/phase.hpp"
#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

class Decoder;
class Pipeline;
struct ModelInput;

/// Thrown if the loss or a gradient is not finite. It ends the run with exit code 4.
class NonFinite : public UserError {
 public:
  /// \param what    "loss" or "grad_norm", with its value in `value`
  /// \param tensor  the first tensor that is not finite, in model order; empty if only `what` itself is not
  NonFinite(int64_t step, const std::string& what, double value, trace::Phase phase,
            const std::string& tensor);

  /// For Recorder::failure.
  Json to_json() const;

 private:
  int64_t step_;
  trace::Phase phase_;
  std::string tensor_;
};

// All ranks of a run call these functions together. Each returns the same on every rank.

/// Returns `value`, or a value that is not finite if some rank has one.
double worst_of_ranks(double value, const Group& world);
/// Returns the name of the first parameter, in model order and on any rank, whose value is not finite; empty
/// if there is none.
/// \param parameters  that this rank holds
/// \param model       every parameter, in order
std::string first_non_finite_value(const Parameters& parameters, const Parameters& model, const Group& world);
/// Returns the name of the first parameter whose gradient is not finite.
std::string first_non_finite_gradient(const Parameters& parameters, const Parameters& model,
                                      const Group& world);
/// Returns the name of the first block result, in execution order and on any rank, that is not finite.
std::string first_non_finite_activation(const Decoder& model, const ModelInput& input, const Group& world);
std::string first_non_finite_activation(const Pipeline& pipeline, const ModelInput& piece,
                                        const Group& world);

}  // namespace parity::reference
