// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/score_check.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {
namespace {

/// The token whose score is farthest from the number it came with.
struct Farthest {
  double gap = 0;
  int64_t row = 0, position = 0;
  double given = 0, score = 0;
  double compared = 0, tokens = 0;

  void look(int64_t at_row, int64_t at, double number, double own_score, bool is_fresh) {
    ++tokens;
    if (!is_fresh)
      return;
    ++compared;
    double distance = std::abs(number - own_score);
    if (std::isnan(distance))
      distance = std::numeric_limits<double>::infinity();
    if (distance > gap)
      *this = {distance, at_row, at, number, own_score, compared, tokens};
  }
};

Farthest farthest_of(const PolicyTrainer& policy, std::span<const PolicyBatch> own, const ScoreCheck& check) {
  Farthest farthest;
  int64_t row = check.share.index * (static_cast<int64_t>(check.fresh.size()) / check.share.count);
  for (const PolicyBatch& batch : own) {
    const torch::Tensor scores = policy.forward(batch).contiguous();
    const auto* score = scores.const_data_ptr<double>();
    const auto S = static_cast<size_t>(batch.rows.seq_len);
    for (size_t i = 0; i < batch.rows.labels.size(); ++i)
      if (batch.rows.labels[i] != ignored_label) {
        const int64_t at = row + static_cast<int64_t>(i / S);
        farthest.look(at, static_cast<int64_t>(i % S), batch.generator[i], score[i],
                      check.fresh[static_cast<size_t>(at)]);
      }
    row += batch.rows.rows;
  }
  return farthest;
}

}  // namespace

double check_scores(const PolicyTrainer& policy, std::span<const PolicyBatch> own, const ScoreCheck& check,
                    const Group& world, const Group& batch_ranks) {
  const Farthest mine = farthest_of(policy, own, check);
  const torch::Tensor gap = torch::full({1}, mine.gap, torch::kFloat64);
  world.all_reduce(gap, Reduction::max);
  const torch::Tensor tokens = torch::tensor({mine.compared, mine.tokens}, torch::kFloat64);
  batch_ranks.all_reduce(tokens);
  if (gap.item<double>() <= check.largest)
    return tokens[0].item<double>() / tokens[1].item<double>();
  // Of the ranks that have this gap, the last row and its numbers.
  const bool is_mine = mine.gap == gap.item<double>();
  const torch::Tensor row = torch::full({1}, is_mine ? static_cast<double>(mine.row) : -1, torch::kFloat64);
  world.all_reduce(row, Reduction::max);
  const bool speaks = is_mine && static_cast<double>(mine.row) == row.item<double>();
  const double none = -std::numeric_limits<double>::infinity();
  const torch::Tensor numbers =
      speaks ? torch::tensor({static_cast<double>(mine.position), mine.given, mine.score}, torch::kFloat64)
             : torch::full({3}, none, torch::kFloat64);
  world.all_reduce(numbers, Reduction::max);
  throw UserError(
      fmt::format("data.path: {} does not come from this policy: it gives the token after position {} the "
                  "log probability "
                  "{:.6g}, the policy gives {:.6g}, {:.3g} nats apart (rl.largest_gap = {:.3g}); load the "
                  "weights that wrote "
                  "the rollouts, or correct their version",
                  check.place(static_cast<int64_t>(row.item<double>())), numbers[0].item<double>(),
                  numbers[1].item<double>(), numbers[2].item<double>(), gap.item<double>(), check.largest));
}

}  // namespace parity::reference
