// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Adafactor without a first moment, its means over rows and columns:
//   b = t^beta2_decay;  R += b (mean g^2 of the row - R);  C += b (mean g^2 of the column - C)
//   v = R C / max(mean of R, eps1), or v += b (g^2 - v) of a vector;  u = g / max(root(v), eps1)
//   p = p - lr decay p - max(eps2, RMS(p)) min(lr, 1 / root(t)) u / max(1, RMS(u) / d)
#include "harness/laws/updates/adafactor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/run/rounding.hpp"
#include "harness/laws/updates/tensor_update.hpp"

namespace parity::laws {
namespace {

double rms(const Vector& values) {
  double squares = 0;
  for (const double value : values)
    squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// The matrices of a tensor [..., n, m].
struct MatrixShape {
  size_t rows = 1, columns = 1;

  explicit MatrixShape(const std::vector<int64_t>& shape) {
    if (shape.size() >= 2)
      rows = static_cast<size_t>(shape[shape.size() - 2]);
    if (!shape.empty())
      columns = static_cast<size_t>(shape.back());
  }
  size_t row_of(size_t i) const { return i / columns; }
  size_t column_of(size_t i) const { return i / (rows * columns) * columns + i % columns; }
  size_t matrix_of(size_t i) const { return i / (rows * columns); }
};

/// One moment, with the squares that enter it.
struct MovingMean {
  const char* name;
  const Vector& before;
  const Vector& after;
  Vector squares;     ///< mean over the elements that share the moment
  int64_t count = 1;  ///< of those elements
};

/// Returns the moments of a parameter. \param gradient  that enters them
std::vector<MovingMean> moving_means(const TensorUpdate& data, const Vector& gradient,
                                     const AdafactorNumbers& numbers) {
  const double added = numbers.adds_eps1 ? numbers.eps1 : 0;
  if (data.dimensions < 2) {
    MovingMean element{"variance", data.first_before, data.first_after, Vector(gradient.size())};
    for (size_t i = 0; i < gradient.size(); ++i)
      element.squares[i] = gradient[i] * gradient[i] + added;
    return {element};
  }
  const MatrixShape shape(data.shape);
  const FactoredMoments& own = data.factored;
  MovingMean row{"row_var", own.row_before, own.row_after, Vector(own.row_after.size(), added),
                 static_cast<int64_t>(shape.columns)};
  MovingMean column{"col_var", own.column_before, own.column_after, Vector(own.column_after.size(), added),
                    static_cast<int64_t>(shape.rows)};
  for (size_t i = 0; i < gradient.size(); ++i) {
    const double square = gradient[i] * gradient[i];
    row.squares[shape.row_of(i)] += square / static_cast<double>(shape.columns);
    column.squares[shape.column_of(i)] += square / static_cast<double>(shape.rows);
  }
  return {row, column};
}

/// Compares a moment with the share `share` of `factor` times the squares. The bound counts the roundings of
/// the norm, of its square and of the average.
ElementFit compare_mean(const MovingMean& moment, double share, double factor, double roundoff) {
  const auto wanted = [&](size_t i) {
    return moment.before[i] + share * (factor * moment.squares[i] - moment.before[i]);
  };
  const double sum = 2 * norm_bound(moment.count, roundoff) + 4 * roundoff;
  const auto bound = [&](size_t i) {
    return share * factor * moment.squares[i] * sum +
           4 * roundoff * (std::abs(moment.before[i]) + std::abs(moment.after[i])) + 1e-44;
  };
  return compare_elements(moment.after, wanted, bound);
}

double share_of(const TensorUpdate& data, const AdafactorNumbers& numbers) {
  return std::pow(static_cast<double>(data.updates()), numbers.beta2_decay);
}

Complaint explain_mean(const TensorUpdate& data, const AdafactorNumbers& numbers, const MovingMean& moment,
                       const ElementFit& fit) {
  const double share = share_of(data, numbers), u = data.state_roundoff;
  const std::string name = moment.name;
  if (moment.before == moment.after)
    return {name + " is not updated", 0.0};
  if (data.unclipped.size() == data.gradient.size())
    for (const MovingMean& other : moving_means(data, data.unclipped, numbers))
      if (name == other.name && compare_mean(other, share, 1, u).fits())
        return {name + " takes in the gradient before clipping"};
  const size_t n = moment.after.size();
  const double other_share = best_factor(
      n, [&](size_t i) { return moment.squares[i] - moment.before[i]; },
      [&](size_t i) { return moment.after[i] - moment.before[i]; });
  if (data.updates() > 1 && other_share > 0 && other_share <= 1 &&
      compare_mean(moment, other_share, 1, u).fits())
    return {fmt::format("{}: beta2 is {:.5g} where {:.5g} follows from update {}", name, 1 - other_share,
                        1 - share, data.updates())};
  const double factor = best_factor(
      n, [&](size_t i) { return share * moment.squares[i]; },
      [&](size_t i) { return moment.after[i] - (1 - share) * moment.before[i]; });
  if (factor > 0 && compare_mean(moment, share, factor, u).fits())
    return {fmt::format("{}: {:.4g} times the recorded gradient enters", name, std::sqrt(factor)),
            std::sqrt(factor)};
  return describe_elements(name, fit, n);
}

/// One way to compute the step.
struct AdafactorForm {
  AdafactorNumbers numbers;
  double lr = 0, decay = 0;
  bool clips = true;
};

/// A form's values for one tensor.
class AdafactorStep {
 public:
  AdafactorStep(const AdafactorForm& form, const TensorUpdate& data) : form_(form), data_(data) {
    directions();
    const double t = static_cast<double>(data.updates());
    const AdafactorNumbers& numbers = form.numbers;
    const double rate = numbers.relative_step ? std::min(form.lr, 1 / std::sqrt(t)) : form.lr;
    const double size = numbers.scale_parameter ? std::max(numbers.eps2, rms(data.before)) : 1;
    const double divisor = form.clips ? std::max(1.0, rms(direction_) / numbers.d) : 1;
    step_ = size * rate / divisor;
    const auto count = static_cast<int64_t>(data.after.size());
    const auto rows = static_cast<int64_t>(MatrixShape(data.shape).rows);
    relative_ = 2 * norm_bound(count, data.roundoff) + norm_bound(rows, data.state_roundoff) +
                16 * data.roundoff + 2 * own_rounding(count);
  }

  double direction(size_t i) const { return direction_[i]; }
  double step() const { return step_; }
  double after(size_t i) const {
    return data_.before[i] * (1 - form_.lr * form_.decay) - step_ * direction_[i];
  }
  /// Roundings of the parameter, and of the norms and means that all elements share.
  double bound(size_t i) const {
    const double move = std::abs(step_ * direction_[i]), p = std::abs(data_.before[i]);
    return data_.roundoff * (2 * p + std::abs(data_.after[i])) + relative_ * move + 1e-45;
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
  void directions() {
    const AdafactorNumbers& numbers = form_.numbers;
    const Vector& g = data_.gradient;
    direction_.resize(g.size());
    if (data_.dimensions < 2) {
      for (size_t i = 0; i < g.size(); ++i)
        direction_[i] = divided(g[i], data_.first_after[i]);
      return;
    }
    const MatrixShape shape(data_.shape);
    const FactoredMoments& own = data_.factored;
    Vector means(own.row_after.size() / shape.rows);
    for (size_t r = 0; r < own.row_after.size(); ++r)
      means[r / shape.rows] += own.row_after[r] / static_cast<double>(shape.rows);
    for (size_t i = 0; i < g.size(); ++i) {
      const double mean = means[shape.matrix_of(i)];
      direction_[i] = divided(g[i], own.row_after[shape.row_of(i)] * own.column_after[shape.column_of(i)] /
                                        (numbers.adds_eps1 ? mean : std::max(mean, numbers.eps1)));
    }
  }
  double divided(double gradient, double v) const {
    if (gradient == 0)
      return 0;
    return gradient / (form_.numbers.adds_eps1 ? std::sqrt(v) : std::max(std::sqrt(v), form_.numbers.eps1));
  }

  AdafactorForm form_;
  const TensorUpdate& data_;
  Vector direction_ = {};
  double step_ = 0, relative_ = 0;
};

/// Another form, and what it means if that one gives the parameters.
struct Guess {
  AdafactorForm form;
  std::string text;
};

std::vector<Guess> guesses(const AdafactorForm& form) {
  std::vector<Guess> all(5, {form, ""});
  all[0].form.decay = 0;
  all[0].text = fmt::format("the parameter is updated without the weight decay {:.6g}", form.decay);
  all[1].form.numbers.scale_parameter = !form.numbers.scale_parameter;
  all[1].text = form.numbers.scale_parameter
                    ? "the step is not scaled by the root mean square of the parameter"
                    : "the step is scaled by the root mean square of the parameter";
  all[2].form.numbers.relative_step = !form.numbers.relative_step;
  all[2].text = form.numbers.relative_step ? "the rate is not bounded by 1 / sqrt(t)"
                                           : "the rate is bounded by 1 / sqrt(t)";
  all[3].form.clips = false;
  all[3].text = fmt::format("the update is not scaled down to the root mean square {:.6g}", form.numbers.d);
  all[4].form.numbers.eps2 = 0;
  all[4].text =
      fmt::format("the root mean square of the parameter is not bounded by eps2 {:.6g}", form.numbers.eps2);
  return all;
}

Complaint explain_step(const TensorUpdate& data, const AdafactorForm& form, const ElementFit& fit) {
  for (const Guess& guess : guesses(form))
    if (AdafactorStep(guess.form, data).compare().fits())
      return {guess.text};
  const AdafactorStep step(form, data);
  const double shrunk = 1 - form.lr * form.decay;
  const double factor = best_factor(
      data.after.size(), [&](size_t i) { return step.step() * step.direction(i); },
      [&](size_t i) { return data.before[i] * shrunk - data.after[i]; });
  const ElementFit scaled = compare_elements(
      data.after,
      [&](size_t i) { return data.before[i] * shrunk - factor * step.step() * step.direction(i); },
      [&](size_t i) { return step.bound(i) * std::max(1.0, std::abs(factor)); });
  if (scaled.fits())
    return {fmt::format("the step is {:.5g} times that of the formula", factor), factor};
  return describe_elements("the parameter", fit, data.after.size());
}

/// Returns whether everything that the step needs was recorded, in its shape.
bool has_moments(const TensorUpdate& data) {
  if (data.gradient.empty() || data.shape.empty())
    return false;
  if (data.dimensions < 2)
    return !data.first_before.empty() && !data.first_after.empty();
  const MatrixShape shape(data.shape);
  const FactoredMoments& own = data.factored;
  const size_t matrices = data.after.size() / std::max<size_t>(1, shape.rows * shape.columns);
  return own.row_after.size() == matrices * shape.rows && own.row_before.size() == own.row_after.size() &&
         own.column_after.size() == matrices * shape.columns &&
         own.column_before.size() == own.column_after.size();
}

}  // namespace

AdafactorNumbers adafactor_numbers(const RecordedRun& run, int64_t step, double roundoff) {
  AdafactorNumbers numbers{.eps1 = 2 * roundoff};
  const auto read = [&](double& into, std::initializer_list<std::string_view> keys) {
    into = run.setting(step, keys).value_or(into);
  };
  read(numbers.beta2_decay, {"beta2_decay", "optimizer.adafactor.beta2_decay"});
  read(numbers.eps1, {"eps1", "optimizer.adafactor.eps1"});
  read(numbers.eps2, {"eps2", "optimizer.adafactor.eps2"});
  read(numbers.d, {"optimizer.adafactor.d"});
  numbers.adds_eps1 = run.config_text("optimizer.adafactor.eps1_place") == "square";
  numbers.relative_step = run.config_text("optimizer.adafactor.relative_step") != "false";
  numbers.scale_parameter = run.config_text("optimizer.adafactor.scale_parameter") != "false";
  return numbers;
}

UpdateCheck check_adafactor(const TensorUpdate& data, const OptimizerNumbers& numbers,
                            const AdafactorNumbers& own) {
  UpdateCheck check;
  if (data.counter.jumps())
    check.complaints.push_back({fmt::format("the optimizer's step counter goes from {} to {}",
                                            *data.counter.before, *data.counter.after)});
  if (!has_moments(data))
    return check;
  for (const MovingMean& moment : moving_means(data, data.gradient, own)) {
    ++check.compared;
    const ElementFit fit = compare_mean(moment, share_of(data, own), 1, data.state_roundoff);
    if (fit.fits())
      check.worst = std::max(check.worst, fit.worst);
    else
      check.complaints.push_back(explain_mean(data, own, moment, fit));
  }
  const AdafactorForm form{own, numbers.lr, numbers.decay};
  const AdafactorStep step(form, data);
  const ElementFit fit = step.compare();
  if (step.is_blind() && fit.fits()) {
    check.blind = true;
    return check;
  }
  ++check.compared;
  if (fit.fits())
    check.worst = std::max(check.worst, fit.worst);
  else if (data.before == data.after)
    check.complaints.push_back({"left out: the optimizer's state changed, the parameter did not", 0.0});
  else
    check.complaints.push_back(explain_step(data, form, fit));
  return check;
}

}  // namespace parity::laws
