// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/head_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/laws/batches/entropies.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// A gradient of the matrix, next to that of the loss.
struct HeadGradient {
  std::string name;   ///< of the matrix
  double factor = 0;  ///< the gradient is this many times that of the loss ...
  double rest = 0;    ///< ... but for a rest of this size, relative to it
  int64_t valid = 0;  ///< tokens that count
};

constexpr size_t most_rows = 64;      // of the matrix: each is one equation for the factor
constexpr double largest_rest = 0.1;  // of a pair that fits: its factor is known to a tenth

/// (softmax - label) / valid of some words at all places of a batch.
struct LogitGradient {
  std::vector<int64_t> words;
  std::vector<double> values;  ///< [place, word]
  int64_t valid = 0;
};

LogitGradient logit_gradient(const TensorView& logits, const Batch& batch, int64_t shift,
                             std::vector<int64_t> words) {
  LogitGradient found{std::move(words), {}, 0};
  const int64_t vocabulary = logits.shape[2];
  const size_t element = size_of(logits.dtype), count = found.words.size();
  found.values.assign(static_cast<size_t>(batch.rows * batch.length) * count, 0.0);
  std::vector<double> exponentials(static_cast<size_t>(vocabulary));
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t place = 0; place + shift < batch.length; ++place) {
      const double label = batch.labels[batch.at(row, place + shift)];
      if (label == ignored_label)
        continue;
      const size_t at = batch.at(row, place);
      const std::byte* own = logits.raw().data() + at * static_cast<size_t>(vocabulary) * element;
      for (size_t v = 0; v < exponentials.size(); ++v)
        exponentials[v] = widen(logits.dtype, own + v * element);
      const double most = std::ranges::max(exponentials);
      for (double& each : exponentials)
        each = std::exp(each - most);
      const double sum = std::accumulate(exponentials.begin(), exponentials.end(), 0.0);
      for (size_t i = 0; i < count; ++i)
        found.values[at * count + i] = exponentials[static_cast<size_t>(found.words[i])] / sum -
                                       (static_cast<double>(found.words[i]) == label ? 1 : 0);
      ++found.valid;
    }
  for (double& each : found.values)
    each /= static_cast<double>(std::max<int64_t>(found.valid, 1));
  return found;
}

/// Returns the rows of a matrix with the largest norms. \param width  elements of a row
std::vector<int64_t> largest_rows(const std::vector<double>& matrix, size_t width) {
  std::vector<double> squares(matrix.size() / width);
  for (size_t row = 0; row < squares.size(); ++row)
    for (size_t i = 0; i < width; ++i)
      squares[row] += matrix[row * width + i] * matrix[row * width + i];
  std::vector<int64_t> rows(squares.size());
  std::iota(rows.begin(), rows.end(), int64_t{0});
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(most_rows, rows.size()));
  std::ranges::partial_sort(rows, end, [&](int64_t a, int64_t b) {
    return squares[static_cast<size_t>(a)] > squares[static_cast<size_t>(b)];
  });
  rows.erase(end, rows.end());
  return rows;
}

/// Projects some rows of a gradient [V, D] on those that follow from an input of the matrix.
HeadGradient project(const std::vector<double>& gradient, const LogitGradient& logits,
                     const std::vector<double>& input, size_t width) {
  const size_t count = logits.words.size(), places = input.size() / width;
  double both = 0, own = 0, all = 0;
  std::vector<double> row(width);
  for (size_t i = 0; i < count; ++i) {
    std::ranges::fill(row, 0.0);
    for (size_t at = 0; at < places; ++at)
      if (const double weight = logits.values[at * count + i]; weight != 0)
        for (size_t d = 0; d < width; ++d)
          row[d] += weight * input[at * width + d];
    const double* recorded = gradient.data() + static_cast<size_t>(logits.words[i]) * width;
    for (size_t d = 0; d < width; ++d) {
      both += recorded[d] * row[d];
      own += row[d] * row[d];
      all += recorded[d] * recorded[d];
    }
  }
  const double factor = both / own;
  return {{},
          factor,
          std::sqrt(std::max(0.0, all - factor * both)) / std::abs(both / std::sqrt(own)),
          logits.valid};
}

/// Returns the pair of an update's tensors that fits best; nothing if none does.
std::optional<HeadGradient> find_head_gradient(const RecordedRun& run, const Batch& batch,
                                               const TensorKey& key, int64_t shift) {
  const TensorView logits = run.trace().tensor(key);
  std::optional<HeadGradient> best;
  for (const std::string& name : run.names(batch.step, Phase::grad)) {
    const TensorKey matrix{batch.step, Phase::grad, name};
    if (run.dimensions(matrix) != 2 || !run.has_values(matrix))
      continue;
    const Shape shape = run.trace().tensor(matrix).shape;
    if (shape[0] != logits.shape[2] || shape[1] < 1)
      continue;
    const auto width = static_cast<size_t>(shape[1]);
    const std::vector<double> gradient = run.values(matrix);
    if (!std::ranges::all_of(gradient, [](double each) { return std::isfinite(each); }))
      continue;  // other laws name it
    const LogitGradient of_logits = logit_gradient(logits, batch, shift, largest_rows(gradient, width));
    for (const std::string& input : run.names(batch.step, Phase::forward)) {
      const TensorKey place{batch.step, Phase::forward, input};
      if (run.dimensions(place) != 3 || !run.has_values(place) ||
          run.trace().tensor(place).shape != Shape{batch.rows, batch.length, shape[1]})
        continue;
      HeadGradient found = project(gradient, of_logits, run.values(place), width);
      found.name = name;
      if (std::isfinite(found.factor) && found.rest <= (best ? best->rest : largest_rest))
        best = found;
    }
  }
  return best;
}

}  // namespace

void check_head_gradient(const RecordedRun& run, int64_t shift, Finding& finding) {
  const Json& facts = run.trace().provenance();
  if (facts.contains("recipe") && facts["recipe"].contains("grad_scale")) {
    finding.notes.emplace_back(
        "gradients have a loss scale that the optimizer takes out, so their size is not asked");
    return;
  }
  const auto pieces = static_cast<double>(micro_batches_of(run));
  std::optional<HeadGradient> seen;
  for (const int64_t step : run.steps()) {
    const Batch batch = read_batch(run, step);
    const auto logits = batch.labels.empty() ? std::nullopt : find_logits(run, batch);
    const auto head = logits ? find_head_gradient(run, batch, *logits, shift) : std::nullopt;
    if (!head)
      continue;
    const auto is = [&](double factor) {
      return std::abs(head->factor / factor - 1) <= head->rest + 0x1p-20;
    };
    const auto departs = [&](double factor, const std::string& why) {
      finding.departures.push_back(
          {fmt::format("the gradient of {} is {:.4g} times that of the loss at update {}: {}", head->name,
                       head->factor, step, why),
           step,
           head->name,
           {},
           factor});
    };
    if (is(1)) {
      finding.compare(std::abs(head->factor - 1), head->rest + 0x1p-20);
      seen = head;
    } else if (pieces > 1 && is(pieces)) {
      return departs(pieces,
                     fmt::format("the gradients of {} micro-batches are added up, not averaged", pieces));
    } else if (pieces > 1 && is(1 / pieces)) {
      return departs(1 / pieces,
                     fmt::format("it is divided once too often by {}, the number of micro-batches", pieces));
    } else if (const auto valid = static_cast<double>(head->valid); is(valid)) {
      return departs(valid, fmt::format("it is that of the sum over {} tokens", valid));
    } else {
      finding.notes.push_back(fmt::format("the gradient of {} is {:.4g} times that of the loss at update {}",
                                          head->name, head->factor, step));
      return;
    }
  }
  if (seen)
    finding.notes.push_back("the gradient of " + seen->name + " is that of the loss");
}

}  // namespace parity::laws
