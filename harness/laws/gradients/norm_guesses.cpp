// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/norm_guesses.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/laws/run/tensor_groups.hpp"
#include "harness/tensor/part.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

void add_parts(const RecordedRun& run, const trace::TensorKey& key, GradientNorms& norms) {
  const auto found = run.trace().rank_rows().find(key);
  if (run.trace().ranks() < 2 || found == run.trace().rank_rows().end())
    return;
  std::set<PartCover> seen;
  bool whole = false;
  for (const trace::RankRow& row : found->second) {
    const bool replica = row.layout ? !seen.insert(cover_of(*row.layout)).second : std::exchange(whole, true);
    norms.parts.push_back({key.name, row.rank, row.norm * row.norm, replica});
  }
}

/// Collects guesses that change the sum of squares.
class Guesses {
 public:
  Guesses(const GradientNorms& norms, std::vector<NormGuess>& list)
      : total_(norms.square()), least_(total_ * 16 * norm_bound_of(norms)), list_(list) {}

  void without(double square, const std::string& what, const std::string& tensor,
               std::optional<int64_t> rank = {}) {
    if (square > least_)
      add("the norm without " + what, total_ - square, tensor, rank);
  }
  void repeated(double square, int64_t times, const std::string& what, const std::string& tensor) {
    if (square * static_cast<double>(times - 1) > least_)
      add(fmt::format("the norm that counts {} {} times", what, times),
          total_ + square * static_cast<double>(times - 1), tensor, {});
  }
  void only(double square, const std::string& what, std::optional<int64_t> rank) {
    if (std::abs(total_ - square) > least_)
      add("the norm of " + what, square, "", rank);
  }

 private:
  static double norm_bound_of(const GradientNorms& norms) { return 8 * norms.roundoff; }
  void add(std::string sentence, double square, const std::string& tensor, std::optional<int64_t> rank) {
    if (square >= 0)
      list_.push_back({std::move(sentence), std::sqrt(square), tensor, rank});
  }

  double total_, least_;
  std::vector<NormGuess>& list_;
};

void guess_whole_sums(const GradientNorms& norms, std::vector<NormGuess>& list) {
  double sum = 0, largest = 0;
  for (const double square : norms.squares) {
    sum += std::sqrt(square);
    largest = std::max(largest, std::sqrt(square));
  }
  list.push_back({"the squared norm (its root is missing)", norms.square()});
  list.push_back({"the sum of the tensors' norms (not the root of the sum of their squares)", sum});
  list.push_back({"the largest norm of a tensor", largest});
  list.push_back({"the mean norm of the tensors", sum / static_cast<double>(norms.squares.size())});
}

void guess_tensors(const GradientNorms& norms, Guesses& guesses, int64_t ranks) {
  std::map<std::string, double> square_of;
  for (size_t i = 0; i < norms.names.size(); ++i)
    square_of[norms.names[i]] = norms.squares[i];
  for (const auto& [name, square] : square_of) {
    guesses.without(square, name, name);
    guesses.repeated(square, 2, name, name);
    if (ranks > 2)
      guesses.repeated(square, ranks, name, name);
  }
  for (const auto& [pattern, members] : families(norms.names)) {
    double square = 0;
    for (const std::string& name : members)
      square += square_of[name];
    guesses.without(square, pattern, pattern);
    guesses.repeated(square, 2, pattern, pattern);
    if (ranks > 2)
      guesses.repeated(square, ranks, pattern, pattern);
  }
}

void guess_ranks(const GradientNorms& norms, Guesses& guesses) {
  std::map<int64_t, double> own, of_rank;
  std::map<std::pair<std::string, int64_t>, double> families_of_rank;
  double all = 0;
  for (const GradientNorms::Part& part : norms.parts) {
    of_rank[part.rank] += part.square;
    all += part.square;
    if (part.replica)
      continue;
    own[part.rank] += part.square;
    families_of_rank[{part.name, part.rank}] += part.square;
    if (starred(part.name) != part.name)
      families_of_rank[{starred(part.name), part.rank}] += part.square;
  }
  for (const auto& [rank, square] : of_rank)
    guesses.only(square, fmt::format("what rank {} holds alone", rank), rank);
  guesses.only(all, "what all ranks hold, replicas counted once for each rank", {});
  for (const auto& [rank, square] : own)
    guesses.without(square, fmt::format("the shards of rank {}", rank), "", rank);
  for (const auto& [place, square] : families_of_rank)
    guesses.without(square, fmt::format("{} of rank {}", place.first, place.second), place.first,
                    place.second);
}

void guess_factors(const RecordedRun& run, const GradientNorms& norms, std::vector<NormGuess>& list) {
  const double norm = norms.norm();
  std::map<int64_t, std::string> counts = {{2, "2"}, {4, "4"}, {8, "8"}, {16, "16"}, {32, "32"}, {64, "64"}};
  for (const char* name : {"data.micro_batches", "gradient_accumulation_steps", "data.global_batch"})
    if (const auto value = run.config_number(name); value && *value > 1)
      counts[static_cast<int64_t>(*value)] = fmt::format("{} ({})", *value, name);
  if (const int64_t ranks = std::max(run.trace().ranks(), run.trace().joined_ranks()); ranks > 1)
    counts[ranks] = fmt::format("{} (the number of ranks)", ranks);
  for (const auto& [count, text] : counts) {
    const auto k = static_cast<double>(count);
    list.push_back({"the norm times " + text, norm * k});
    list.push_back({"the norm divided by " + text, norm / k});
    list.push_back({"the norm times the root of " + text, norm * std::sqrt(k)});
    list.push_back({"the norm divided by the root of " + text, norm / std::sqrt(k)});
  }
}

void guess_other_phases(const RecordedRun& run, int64_t step, std::vector<NormGuess>& list) {
  if (const GradientNorms clipped = gradient_norms(run, step, Phase::grad_clipped);
      !clipped.names.empty() && clipped.bad.empty())
    list.push_back({"the norm after clipping", clipped.norm()});
  if (const GradientNorms before = gradient_norms(run, step - 1, Phase::grad);
      !before.names.empty() && before.bad.empty())
    list.push_back({"the norm of the update before", before.norm()});
  if (run.trace().ranks() < 2)
    return;  // nothing reduces
  std::map<int64_t, double> local;
  for (const auto& [key, rows] : run.trace().rank_rows())
    if (key.step == step && key.phase == Phase::grad_local && key.name.find('@') == std::string::npos)
      for (const trace::RankRow& row : rows)
        local[row.rank] += row.norm * row.norm;
  for (const auto& [rank, square] : local)
    list.push_back(
        {fmt::format("the norm of rank {} before the reduction", rank), std::sqrt(square), "", rank});
}

}  // namespace

double GradientNorms::square() const {
  double sum = 0;
  for (const double each : squares)
    sum += each;
  return sum;
}

double GradientNorms::norm() const {
  return std::sqrt(square());
}

GradientNorms gradient_norms(const RecordedRun& run, int64_t step, Phase phase) {
  GradientNorms norms;
  for (const std::string& name : run.names(step, phase)) {
    const trace::TensorKey key{step, phase, name};
    const std::optional<double> norm = run.norm(key);
    if (!norm || !std::isfinite(*norm)) {
      norms.bad = name;
      continue;
    }
    norms.names.push_back(name);
    norms.squares.push_back(*norm * *norm);
    norms.elements += run.size(key);
    norms.roundoff = std::max(norms.roundoff, run.roundoff(key));
    add_parts(run, key, norms);
  }
  return norms;
}

std::vector<NormGuess> norm_guesses(const RecordedRun& run, int64_t step, const GradientNorms& norms) {
  std::vector<NormGuess> list;
  Guesses guesses(norms, list);
  guess_ranks(norms, guesses);
  guess_tensors(norms, guesses, run.trace().ranks());
  guess_whole_sums(norms, list);
  guess_other_phases(run, step, list);
  guess_factors(run, norms, list);
  return list;
}

}  // namespace parity::laws
