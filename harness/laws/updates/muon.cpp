// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Muon:  m = b m + (1 - b) g. Keller Jordan's first form is m = b m + g; Newton-Schulz divides by the norm,
// so both take the same step, which the room muon compares.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/updates/tensor_update.hpp"

namespace parity::laws {
namespace {

constexpr double usual_momentum = 0.95;

/// A momentum b m + c g.
struct MomentumForm {
  double decay = 0, share = 0;
};

MomentumForm average(double decay) {
  return {decay, 1 - decay};
}

/// Compares the momentum with a form. The bound counts the roundings of g - m, of its product and of the sum.
ElementFit compare_momentum(const TensorUpdate& data, const Vector& gradient, const MomentumForm& form) {
  const auto wanted = [&](size_t i) { return form.decay * data.first_before[i] + form.share * gradient[i]; };
  const auto bound = [&](size_t i) {
    return 4 * data.state_roundoff *
               (std::abs(data.first_before[i]) + std::abs(gradient[i]) + std::abs(data.first_after[i])) +
           1e-45;
  };
  return compare_elements(data.first_after, wanted, bound);
}

bool fits(const TensorUpdate& data, const Vector& gradient, const MomentumForm& form) {
  return compare_momentum(data, gradient, form).fits();
}

/// Returns the decay of the average that comes nearest: m - g = b (m' - g).
double nearest_decay(const TensorUpdate& data) {
  return best_factor(
      data.first_after.size(), [&](size_t i) { return data.first_before[i] - data.gradient[i]; },
      [&](size_t i) { return data.first_after[i] - data.gradient[i]; });
}

std::optional<Complaint> explain_momentum(const TensorUpdate& data, double decay) {
  if (data.first_before == data.first_after)
    return Complaint{"the momentum is not updated", 0.0};
  if (!data.unclipped.empty() && fits(data, data.unclipped, average(decay)))
    return Complaint{"the momentum takes in the gradient before clipping"};
  if (const double other = nearest_decay(data);
      other >= 0 && other < 1 && fits(data, data.gradient, average(other)))
    return Complaint{fmt::format("the momentum is {:.4g} where {:.6g} is recorded", other, decay)};
  const double scale = best_factor(
      data.first_after.size(), [&](size_t i) { return (1 - decay) * data.gradient[i]; },
      [&](size_t i) { return data.first_after[i] - decay * data.first_before[i]; });
  if (fits(data, data.gradient, {decay, scale * (1 - decay)}))
    return Complaint{fmt::format("the momentum takes in {:.5g} times the recorded gradient", scale), scale};
  return std::nullopt;
}

/// Returns what Newton-Schulz may have been given.
/// \param share  of a gradient in the momentum
MuonInputs inputs_of(const TensorUpdate& data, double decay, double share) {
  MuonInputs inputs{.nesterov = data.gradient,
                    .momentum = data.first_after,
                    .momentum_before = data.first_before,
                    .gradient = data.gradient,
                    .unclipped = data.unclipped};
  for (size_t i = 0; i < inputs.nesterov.size(); ++i)
    inputs.nesterov[i] = share * data.gradient[i] + decay * data.first_after[i];
  return inputs;
}

void add_step(const TensorUpdate& data, const OptimizerNumbers& numbers, MuonInputs inputs,
              UpdateCheck& check) {
  const MuonMove move{data.before, data.after, numbers.muon_lr.value_or(numbers.lr), data.roundoff};
  check.muon = check_muon_step({data.name, data.shape, move, numbers.decay, std::move(inputs), numbers.muon});
  check.compared += check.muon->silence == StepSilence::none;
  check.worst = std::max(check.worst, check.muon->worst);
  for (const StepComplaint& complaint : check.muon->complaints)
    check.complaints.push_back({complaint.text, complaint.factor});
}

}  // namespace

bool averages_gradients(const TensorUpdate& data) {
  if (data.gradient.size() != data.first_after.size() || data.first_before.size() != data.first_after.size())
    return false;
  const double decay = nearest_decay(data);
  return decay > 0.1 && decay < 1 && fits(data, data.gradient, average(decay));
}

UpdateCheck check_muon(const TensorUpdate& data, const OptimizerNumbers& numbers) {
  UpdateCheck check;
  if (data.gradient.empty() || data.first_before.empty() || data.first_after.empty())
    return check;
  const double decay = numbers.muon_momentum.value_or(numbers.momentum.value_or(usual_momentum));
  ++check.compared;
  const ElementFit fit = compare_momentum(data, data.gradient, average(decay));
  const bool is_sum = !fit.fits() && fits(data, data.gradient, {decay, 1});
  if (fit.fits())
    check.worst = fit.worst;
  else if (!is_sum)
    check.complaints.push_back(
        explain_momentum(data, decay)
            .value_or(describe_elements("the momentum", fit, data.first_after.size())));
  if (check.complaints.empty())  // else the step follows what is wrong with the momentum
    add_step(data, numbers, inputs_of(data, decay, is_sum ? 1 : 1 - decay), check);
  return check;
}

}  // namespace parity::laws
