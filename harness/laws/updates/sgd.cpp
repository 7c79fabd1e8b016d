// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// SGD:  x = g + decay p,  b = momentum b + (1 - dampening) x (b = x at the first update),  p = p - lr b
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/updates/tensor_update.hpp"

namespace parity::laws {
namespace {

/// One way to compute the update.
struct SgdForm {
  double lr = 0, decay = 0, momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  bool decoupled = false;
};

class SgdStep {
 public:
  SgdStep(const SgdForm& form, const TensorUpdate& data, const Vector& gradient)
      : form_(form), data_(data), gradient_(gradient), share_(is_first(data) ? 1 : 1 - form.dampening) {}

  double x(size_t i) const { return gradient_[i] + (form_.decoupled ? 0 : form_.decay * data_.before[i]); }
  /// Returns the momentum after the update. PyTorch starts it as the first gradient.
  double buffer(size_t i) const { return form_.momentum * data_.first_before[i] + entering(i); }
  /// Returns what enters the momentum.
  double entering(size_t i) const { return share_ * x(i); }
  double move(size_t i) const {
    if (data_.first_after.empty())
      return x(i);
    return form_.nesterov ? x(i) + form_.momentum * data_.first_after[i] : data_.first_after[i];
  }
  double after(size_t i) const {
    return data_.before[i] * (form_.decoupled ? 1 - form_.lr * form_.decay : 1) - form_.lr * move(i);
  }
  double bound(size_t i) const {
    const double p = std::abs(data_.before[i]), u = data_.roundoff;
    return u * (2 * p + std::abs(data_.after[i]) + form_.lr * (4 * std::abs(move(i)) + 2 * form_.decay * p)) +
           1e-45;
  }
  double buffer_bound(size_t i) const {
    return data_.state_roundoff * 3 *
               (std::abs(form_.momentum * data_.first_before[i]) + std::abs(gradient_[i]) +
                form_.decay * std::abs(data_.before[i]) + std::abs(data_.first_after[i])) +
           1e-45;
  }
  bool fits() const {
    return all_fit(data_.after, [&](size_t i) { return after(i); }, [&](size_t i) { return bound(i); });
  }
  ElementFit compare() const {
    return compare_elements(
        data_.after, [&](size_t i) { return after(i); }, [&](size_t i) { return bound(i); });
  }
  ElementFit compare_buffer() const {
    return compare_elements(
        data_.first_after, [&](size_t i) { return buffer(i); }, [&](size_t i) { return buffer_bound(i); });
  }
  bool is_blind() const {
    return is_hidden(data_.before, [&](size_t i) { return after(i); }, [&](size_t i) { return bound(i); });
  }

 private:
  static bool is_first(const TensorUpdate& data) {
    return std::ranges::all_of(data.first_before, [](double value) { return value == 0; });
  }

  SgdForm form_;
  const TensorUpdate& data_;
  const Vector& gradient_;
  double share_;  ///< of x that enters the momentum
};

std::optional<Complaint> explain_parameter(const TensorUpdate& data, const SgdForm& form) {
  const size_t n = data.after.size();
  const SgdStep step(form, data, data.gradient);
  if (data.before == data.after)
    return Complaint{"left out: the parameter did not change", 0.0};
  if (const std::string found = describe_rounding(data.after, data.roundoff, step); !found.empty())
    return Complaint{found};
  SgdForm other = form;
  other.nesterov = !form.nesterov;
  if (!data.first_after.empty() && SgdStep(other, data, data.gradient).fits())
    return Complaint{other.nesterov ? "the parameter is updated with Nesterov's momentum"
                                    : "the parameter is updated without Nesterov's momentum"};
  if (!data.unclipped.empty() && data.first_after.empty() && SgdStep(form, data, data.unclipped).fits())
    return Complaint{"the parameter is updated with the gradient before clipping"};
  other = form;
  other.lr = best_factor(
      n, [&](size_t i) { return step.move(i); }, [&](size_t i) { return data.before[i] - data.after[i]; });
  if (SgdStep(other, data, data.gradient).fits())
    return Complaint{
        fmt::format("the parameter is updated with a learning rate of {:.4g}, {:.4g} times the {:.6g} that "
                    "is recorded",
                    other.lr, other.lr / form.lr, form.lr),
        other.lr / form.lr};
  if (data.first_after.empty()) {
    other = form;
    other.decay = best_factor(
        n, [&](size_t i) { return data.before[i]; },
        [&](size_t i) { return (data.before[i] - data.after[i]) / form.lr - data.gradient[i]; });
    if (SgdStep(other, data, data.gradient).fits())
      return Complaint{
          fmt::format("the parameter is updated with a weight decay of {:.4g} where {:.6g} is recorded",
                      other.decay, form.decay)};
  }
  other = form;
  other.decoupled = true;
  if (SgdStep(other, data, data.gradient).fits())
    return Complaint{"weight decay is decoupled from the gradient"};
  return std::nullopt;
}

std::optional<Complaint> explain_buffer(const TensorUpdate& data, const SgdForm& form) {
  const size_t n = data.after.size();
  const SgdStep step(form, data, data.gradient);
  if (data.first_before == data.first_after)
    return Complaint{"the momentum is not updated", 0.0};
  if (!data.unclipped.empty() && SgdStep(form, data, data.unclipped).compare_buffer().fits())
    return Complaint{"the momentum takes in the gradient before clipping"};
  SgdForm other = form;
  other.decay = 0;
  if (SgdStep(other, data, data.gradient).compare_buffer().fits())
    return Complaint{fmt::format("the momentum lacks the weight decay {:.6g}", form.decay), 0.0};
  other = form;
  other.momentum = best_factor(
      n, [&](size_t i) { return data.first_before[i]; },
      [&](size_t i) { return data.first_after[i] - step.entering(i); });
  if (SgdStep(other, data, data.gradient).compare_buffer().fits())
    return Complaint{
        fmt::format("the momentum is {:.4g} where {:.6g} is recorded", other.momentum, form.momentum)};
  const double scale = best_factor(
      n, [&](size_t i) { return data.gradient[i]; },
      [&](size_t i) {
        return data.first_after[i] - form.momentum * data.first_before[i] - form.decay * data.before[i];
      });
  Vector scaled = data.gradient;
  for (double& value : scaled)
    value *= scale;
  if (SgdStep(form, data, scaled).compare_buffer().fits())
    return Complaint{fmt::format("the momentum takes in {:.5g} times the recorded gradient", scale), scale};
  return std::nullopt;
}

}  // namespace

UpdateCheck check_sgd(const TensorUpdate& data, const OptimizerNumbers& numbers) {
  UpdateCheck check;
  if (data.gradient.empty())
    return check;
  const SgdForm form{.lr = numbers.lr,
                     .decay = numbers.decay,
                     .momentum = numbers.momentum.value_or(0),
                     .dampening = numbers.dampening,
                     .nesterov = numbers.nesterov};
  const SgdStep step(form, data, data.gradient);
  if (!data.first_before.empty() && !data.first_after.empty()) {
    const ElementFit fit = step.compare_buffer();
    ++check.compared;
    if (fit.fits())
      check.worst = std::max(check.worst, fit.worst);
    else
      check.complaints.push_back(
          explain_buffer(data, form).value_or(describe_elements("the momentum", fit, data.after.size())));
  }
  if (data.first_after.empty() && form.momentum != 0)
    return check;  // needs the momentum
  const ElementFit fit = step.compare();
  if (fit.fits()) {
    check.blind = step.is_blind();
    check.compared += !check.blind;
    check.worst = std::max(check.worst, fit.worst);
    return check;
  }
  ++check.compared;
  check.complaints.push_back(
      explain_parameter(data, form)
          .value_or(describe_elements("the parameter after the update", fit, data.after.size())));
  return check;
}

}  // namespace parity::laws
