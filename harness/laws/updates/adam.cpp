// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW:  m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,
//                  p = p - lr decay p - lr (m / (1 - b1^t)) / (root(v / (1 - b2^t)) + eps)
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/updates/tensor_update.hpp"

namespace parity::laws {
namespace {

enum class EpsPlace { outside, inside_root, before_correction };

/// One way to compute the update.
struct AdamForm {
  double lr = 0, decay = 0, beta1 = 0, beta2 = 0, eps = 0;
  int64_t t1 = 0, t2 = 0;  ///< step of the bias corrections; 0: none
  EpsPlace place = EpsPlace::outside;

  double correction1() const { return t1 == 0 ? 1.0 : 1 - std::pow(beta1, static_cast<double>(t1)); }
  double correction2() const { return t2 == 0 ? 1.0 : 1 - std::pow(beta2, static_cast<double>(t2)); }
};

/// A form's values for one tensor.
class AdamStep {
 public:
  AdamStep(const AdamForm& form, const TensorUpdate& data)
      : form_(form), data_(data), c1_(form.correction1()), c2_(form.correction2()) {}

  double direction(size_t i) const { return direction(data_.first_after[i], data_.root()[i]); }
  double direction(double m, double v) const {
    const double mean = m / c1_;
    switch (form_.place) {
      case EpsPlace::inside_root:
        return mean / std::sqrt(v / c2_ + form_.eps);
      case EpsPlace::before_correction:
        return mean / ((std::sqrt(v) + form_.eps) / std::sqrt(c2_));
      default: {
        const double root = std::sqrt(v / c2_) + form_.eps;
        return mean == 0 ? 0 : mean / root;
      }
    }
  }
  double after(size_t i) const {
    return data_.before[i] * (1 - form_.lr * form_.decay) - form_.lr * direction(i);
  }
  /// Roundings of the parameter, of the direction, and of 1 - b^t if that is computed in the narrow type.
  double bound(size_t i) const {
    const double move = std::abs(form_.lr * direction(i)), p = std::abs(data_.before[i]);
    const double u = data_.roundoff, s = std::max(data_.state_roundoff, 0x1p-53);
    return u * (2 * p + std::abs(data_.after[i]) + 4 * move) +
           std::min(u, 0x1p-24) * move * (1 / c1_ + 1 / c2_) + 8 * s * move + 1e-45;
  }
  bool fits() const {
    return all_fit(data_.after, [&](size_t i) { return after(i); }, [&](size_t i) { return bound(i); });
  }
  ElementFit compare() const {
    return compare_elements(
        data_.after, [&](size_t i) { return after(i); }, [&](size_t i) { return bound(i); });
  }
  /// Returns whether rounding hides the update.
  bool is_blind() const {
    return is_hidden(data_.before, [&](size_t i) { return after(i); }, [&](size_t i) { return bound(i); });
  }

 private:
  AdamForm form_;
  const TensorUpdate& data_;
  double c1_, c2_;
};

AdamForm form_of(const TensorUpdate& data, const OptimizerNumbers& numbers) {
  return {.lr = numbers.lr,
          .decay = numbers.l2 ? 0 : numbers.decay,
          .beta1 = numbers.beta1.value_or(0.9),
          .beta2 = numbers.beta2.value_or(0.999),
          .eps = numbers.eps.value_or(1e-8),
          .t1 = data.updates(),
          .t2 = data.updates()};
}

AdamForm without_decay(AdamForm form) {
  form.decay = 0;
  return form;
}

/// Searches a wrong learning rate or decay.
std::optional<Complaint> explain_numbers(const TensorUpdate& data, const AdamForm& form) {
  const size_t n = data.after.size();
  const AdamStep step(form, data);
  const auto moved = [&](size_t i) { return data.before[i] - data.after[i]; };
  AdamForm other = form;
  const double y = best_factor(
      n, [&](size_t i) { return data.before[i]; },
      [&](size_t i) { return moved(i) - form.lr * step.direction(i); });
  other.decay = y / form.lr;
  if (const AdamForm none = without_decay(form); AdamStep(none, data).fits())
    other = none;
  if (AdamStep(other, data).fits()) {
    if (other.decay == 0)
      return Complaint{fmt::format("the parameter is updated without the weight decay {:.6g}", form.decay),
                       0.0};
    return Complaint{
        fmt::format("the parameter is updated with a weight decay of {:.4g} where {:.6g} is recorded",
                    other.decay, form.decay),
        form.decay == 0 ? std::nullopt : std::optional(other.decay / form.decay)};
  }
  other = form;
  other.lr = best_factor(n, [&](size_t i) { return step.direction(i) + form.decay * data.before[i]; }, moved);
  if (AdamStep(other, data).fits())
    return Complaint{
        fmt::format("the parameter is updated with a learning rate of {:.4g}, {:.4g} times the {:.6g} "
                    "that is recorded",
                    other.lr, other.lr / form.lr, form.lr),
        other.lr / form.lr};
  return std::nullopt;
}

/// Searches another bias correction.
std::optional<Complaint> explain_correction(const TensorUpdate& data, const AdamForm& form) {
  const auto fits = [&](int64_t t1, int64_t t2) {
    AdamForm other = form;
    other.t1 = t1;
    other.t2 = t2;
    return AdamStep(other, data).fits();
  };
  const int64_t t = data.updates();
  if (fits(0, 0))
    return Complaint{"the parameter is updated without bias correction"};
  if (fits(t, 0))
    return Complaint{"the parameter is updated without the bias correction of exp_avg_sq"};
  if (fits(0, t))
    return Complaint{"the parameter is updated without the bias correction of exp_avg"};
  for (int64_t distance = 1; distance <= std::max<int64_t>(t, 64); ++distance)
    for (const int64_t other : {t - distance, t + distance})
      if (other > 0 && fits(other, other))
        return Complaint{fmt::format("the bias correction is that of {} updates {}", distance,
                                     other < t ? "before" : "later")};
  return std::nullopt;
}

/// Searches another eps, or another place of it.
std::optional<Complaint> explain_eps(const TensorUpdate& data, const AdamForm& form) {
  AdamForm other = form;
  other.place = EpsPlace::inside_root;
  if (AdamStep(other, data).fits())
    return Complaint{"eps is added inside of the root"};
  other.place = EpsPlace::before_correction;
  if (AdamStep(other, data).fits())
    return Complaint{"eps is added before the bias correction of exp_avg_sq"};
  other.place = EpsPlace::outside;
  for (const double eps : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15, 1e-16}) {
    other.eps = eps;
    if (AdamStep(other, data).fits())
      return Complaint{fmt::format("eps is {:.0e} where {:.6g} is recorded", eps, form.eps), eps / form.eps};
  }
  return std::nullopt;
}

/// Searches moments or a rule other than Adam's.
std::optional<Complaint> explain_rule(const TensorUpdate& data, const AdamForm& form) {
  if (!data.first_before.empty() && !data.second_before.empty()) {
    TensorUpdate old = data;
    old.first_after = data.first_before;
    old.second_after = data.second_before;
    if (data.updates() > 1 && AdamStep(form, old).fits())
      return Complaint{"the parameter is updated with the state before the update"};
  }
  if (!data.gradient.empty()) {
    const AdamStep step(form, data);
    if (all_fit(
            data.after,
            [&](size_t i) {
              return data.before[i] * (1 - form.lr * form.decay) - form.lr * data.gradient[i];
            },
            [&](size_t i) { return step.bound(i); }))
      return Complaint{"the parameter is updated by lr times the gradient (SGD), where the state is Adam's"};
  }
  return std::nullopt;
}

void check_parameter(const TensorUpdate& data, const OptimizerNumbers& numbers, UpdateCheck& check) {
  if (data.first_after.empty() || data.second_after.empty())
    return;
  const AdamForm form = form_of(data, numbers);
  const AdamStep step(form, data);
  const ElementFit fit = step.compare();
  if (fit.fits()) {
    check.blind = step.is_blind();
    check.compared += !check.blind;
    check.worst = std::max(check.worst, fit.worst);
    return;
  }
  ++check.compared;
  if (data.before == data.after) {
    const bool moved = data.first_before != data.first_after || data.second_before != data.second_after;
    check.complaints.push_back({moved ? "left out: the optimizer's state changed, the parameter did not"
                                      : "left out: neither the parameter nor the optimizer's state changed",
                                0.0});
    return;
  }
  if (const std::string rounded = describe_rounding(data.after, data.roundoff, step); !rounded.empty()) {
    check.complaints.push_back({rounded});
    return;
  }
  for (const auto explain : {explain_numbers, explain_correction, explain_eps, explain_rule})
    if (auto complaint = explain(data, form)) {
      check.complaints.push_back(*complaint);
      return;
    }
  check.complaints.push_back(describe_elements("the parameter after the update", fit, data.after.size()));
}

/// A moment: after = beta before + (1 - beta) x, x = g or g^2.
struct Moment {
  const Vector& before;
  const Vector& after;
  double beta;
  bool squared;

  double x(double g) const { return squared ? g * g : g; }
};

/// The gradient that enters the moments.
struct Entering {
  Vector gradient;
  Vector size;  ///< of the terms of each element: more than the element if they cancel
};

Entering entering(const Vector& gradient, const TensorUpdate& data, const OptimizerNumbers& numbers) {
  Entering result{gradient, gradient};
  for (size_t i = 0; i < gradient.size(); ++i) {
    const double decay = numbers.l2 ? numbers.decay * data.before[i] : 0;
    result.gradient[i] += decay;
    result.size[i] = std::abs(gradient[i]) + std::abs(decay);
  }
  return result;
}

/// Compares a moment. \param scale  factor of the gradient
ElementFit fit_moment(const Moment& moment, const Entering& in, double beta, double scale, double u) {
  const auto g = [&](size_t i) { return scale * in.gradient[i]; };
  return compare_elements(
      moment.after, [&](size_t i) { return beta * moment.before[i] + (1 - beta) * moment.x(g(i)); },
      [&](size_t i) {
        const double x = std::abs(moment.x(g(i))), m = std::abs(moment.before[i]);
        const double terms = scale * in.size[i] * (moment.squared ? 2 * std::abs(g(i)) : 1);
        return u * (4 * (1 - beta) * (terms + m) + 2 * beta * m + std::abs(moment.after[i]) + 2 * x) + 1e-44;
      });
}

/// What was found about a moment that the formula does not give.
struct MomentComplaint {
  std::string what;  ///< without the moment's name
  std::optional<double> factor = {};
  std::optional<double> beta = {};  ///< that gives the moment
};

MomentComplaint explain_moment(const Moment& moment, const TensorUpdate& data,
                               const OptimizerNumbers& numbers, const Entering& in, const ElementFit& fit) {
  const double u = data.state_roundoff;
  const Vector& gradient = in.gradient;
  const size_t n = gradient.size();
  if (moment.before == moment.after)
    return {"not updated", 0.0};
  if (!data.unclipped.empty() &&
      fit_moment(moment, entering(data.unclipped, data, numbers), moment.beta, 1, u).fits())
    return {"the gradient before clipping enters"};
  const Vector zeros(n);
  if (data.step > 1 &&
      fit_moment({zeros, moment.after, moment.beta, moment.squared}, in, moment.beta, 1, u).fits())
    return {"starts from zero, so the state of the update before was lost"};
  const double weight = best_factor(
      n, [&](size_t i) { return moment.x(gradient[i]) - moment.before[i]; },
      [&](size_t i) { return moment.after[i] - moment.before[i]; });
  const double c = best_factor(
      n, [&](size_t i) { return (1 - moment.beta) * moment.x(gradient[i]); },
      [&](size_t i) { return moment.after[i] - moment.beta * moment.before[i]; });
  const double scale = moment.squared ? std::sqrt(c) : c;
  MomentComplaint other_beta{
      fmt::format("beta is {:.4g} where {:.6g} is recorded", 1 - weight, moment.beta), {}, 1 - weight};
  if (data.step > 1 && weight > 0 && weight < 1 && fit_moment(moment, in, 1 - weight, 1, u).fits())
    return other_beta;
  // From zero, a larger gradient and a smaller beta look alike: the other moment distinguishes them.
  if (fit_moment(moment, in, moment.beta, scale, u).fits())
    return {fmt::format("{:.4g} times the recorded gradient enters", scale), scale,
            data.step == 1 ? other_beta.beta : std::nullopt};
  return {describe_elements("the state", fit, n).text};
}

std::optional<MomentComplaint> check_moment(const Moment& moment, const TensorUpdate& data,
                                            const OptimizerNumbers& numbers, UpdateCheck& check) {
  if (data.gradient.empty() || moment.before.empty() || moment.after.empty())
    return std::nullopt;
  const Entering in = entering(data.gradient, data, numbers);
  const ElementFit fit = fit_moment(moment, in, moment.beta, 1, data.state_roundoff);
  ++check.compared;
  if (!fit.fits())
    return explain_moment(moment, data, numbers, in, fit);
  check.worst = std::max(check.worst, fit.worst);
  return std::nullopt;
}

/// Compares both moments. \return the numbers with the betas that give them
OptimizerNumbers check_moments(const TensorUpdate& data, const OptimizerNumbers& numbers,
                               UpdateCheck& check) {
  OptimizerNumbers fitted = numbers;
  std::optional<MomentComplaint> first, second;
  if (numbers.beta1)
    first = check_moment({data.first_before, data.first_after, *numbers.beta1, false}, data, numbers, check);
  if (numbers.beta2)
    second =
        check_moment({data.second_before, data.second_after, *numbers.beta2, true}, data, numbers, check);
  if (first && second && first->what == second->what) {
    check.complaints.push_back({"exp_avg and exp_avg_sq: " + first->what, first->factor});
    return fitted;
  }
  const auto add = [&](const char* name, const std::optional<MomentComplaint>& found,
                       std::optional<double>& beta) {
    if (!found)
      return;
    std::string what = found->what;
    if (found->beta) {
      what = fmt::format("beta is {:.4g} where {:.6g} is recorded", *found->beta, *beta);
      beta = found->beta;
    }
    check.complaints.push_back({std::string(name) + ": " + what, found->beta ? std::nullopt : found->factor});
  };
  add("exp_avg", first, fitted.beta1);
  add("exp_avg_sq", second, fitted.beta2);
  return fitted;
}

}  // namespace

UpdateCheck check_adam(const TensorUpdate& data, const OptimizerNumbers& numbers) {
  UpdateCheck check;
  if (data.counter.jumps())
    check.complaints.push_back({fmt::format("the optimizer's step counter goes from {} to {}",
                                            *data.counter.before, *data.counter.after)});
  const OptimizerNumbers fitted = check_moments(data, numbers, check);
  if (numbers.beta1 && numbers.beta2)
    check_parameter(data, fitted, check);
  return check;
}

}  // namespace parity::laws
