// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/laws/muon/muon_step.hpp"
#include "harness/laws/run/recorded_run.hpp"
#include "harness/laws/updates/elements.hpp"
#include "harness/laws/updates/parameter_groups.hpp"

namespace parity::laws {

/// Which rule a parameter's state belongs to.
enum class OptimizerKind { adam, sgd, muon, adafactor, unknown };

/// The optimizer's own count of a parameter's updates, as far as it was recorded.
struct UpdateCounter {
  std::optional<double> before = {}, after = {};

  /// Returns whether both were recorded and the count did not grow by one.
  bool jumps() const { return before && after && *after != *before + 1; }
};

/// Adafactor's second moments of one parameter [..., n, m]. An empty vector was not recorded. A vector's
/// moments have its shape and are kept elsewhere.
struct FactoredMoments {
  Vector row_before = {}, row_after = {};        ///< [..., n, 1]
  Vector column_before = {}, column_after = {};  ///< [..., 1, m]
};

/// What was recorded of one update of one parameter. An empty vector was not recorded.
struct TensorUpdate {
  std::string name;
  int64_t step = 0;
  UpdateCounter counter = {};
  OptimizerKind kind = OptimizerKind::unknown;
  Vector before = {}, after = {};                ///< the parameter, or its master weight
  Vector gradient = {};                          ///< after clipping; before it where nothing was clipped
  Vector unclipped = {};                         ///< before clipping
  Vector first_before = {}, first_after = {};    ///< exp_avg; momentum of SGD or Muon; variance of Adafactor
  Vector second_before = {}, second_after = {};  ///< exp_avg_sq
  Vector largest = {};  ///< max_exp_avg_sq of AMSGrad, whose root divides in place of exp_avg_sq's
  FactoredMoments factored = {};
  std::vector<int64_t> shape = {};  ///< of the parameter
  size_t dimensions = 0;            ///< of the parameter; 0 if unknown
  double roundoff = 0;              ///< of the parameter
  double state_roundoff = 0;        ///< of the state
  int64_t skipped = 0;              ///< steps before this one at which the optimizer made no update

  const Vector& root() const { return largest.empty() ? second_after : largest; }
  /// Returns the number of updates of this parameter, this one included: by the optimizer's count before
  /// the update where it was recorded, else the run's without those that were skipped.
  int64_t updates() const;
  /// Returns whether the parameter has no gradient here, and neither its value, its state nor its count
  /// changed, as an optimizer treats a parameter whose gradient is None.
  bool is_left_alone() const;
};

/// Reads an update. Without a parameter before and after, both are empty.
/// \param optimizer  class of the optimizer that has the parameter; "" if it is not known
TensorUpdate read_update(const RecordedRun& run, int64_t step, const std::string& name,
                         const std::string& optimizer = "");

/// Something that a formula does not give.
struct Complaint {
  std::string text;  ///< without the tensor's name, the same for tensors with the same defect
  std::optional<double> factor = {};
};

/// What comparing one parameter's update with a formula gave.
struct UpdateCheck {
  int64_t compared = 0;
  double worst = 0;  ///< largest error over its bound
  /// Whether rounding hides the update, so that nothing was compared.
  bool blind = false;
  std::vector<Complaint> complaints = {};
  std::optional<MuonStepCheck> muon = {};  ///< of a matrix that Muon trains
};

UpdateCheck check_adam(const TensorUpdate& data, const OptimizerNumbers& numbers);
UpdateCheck check_sgd(const TensorUpdate& data, const OptimizerNumbers& numbers);
/// Compares the momentum, and the step with Newton-Schulz of it.
UpdateCheck check_muon(const TensorUpdate& data, const OptimizerNumbers& numbers);
/// Returns whether a momentum is an average of gradients, as Muon's is, and not a sum, as SGD's is.
bool averages_gradients(const TensorUpdate& data);

/// Returns a complaint that counts elements, for what no formula explains.
Complaint describe_elements(const std::string& quantity, const ElementFit& fit, size_t size);

}  // namespace parity::laws
