// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/gap_bill.hpp"

#include <vector>

#include <torch/types.h>

#include "harness/base/error.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

using Values = std::vector<torch::Tensor>;

/// Returns "layers.3" for "layers.3.attention.wq.weight", and "norm" for "norm.weight".
std::string part_of(const std::string& parameter) {
  const size_t end = parameter.find('.');
  return parameter.substr(0, parameter.starts_with("layers.") ? parameter.find('.', end + 1) : end);
}

/// Scores an update's tokens with other weights.
class Scorer {
 public:
  Scorer(Trainer& trainer, const PolicyTrainer& policy, std::span<const PolicyBatch> batches)
      : trainer_(trainer), policy_(policy), batches_(batches) {
    std::vector<torch::Tensor> generator, counts;
    for (const PolicyBatch& batch : batches) {
      generator.push_back(torch::tensor(batch.generator, torch::kFloat64));
      counts.push_back(torch::tensor(batch.rows.labels).ne(ignored_label));
    }
    counts_ = at::cat(counts);
    generator_ = at::cat(generator).masked_select(counts_);
  }

  /// Returns the numbers that the tokens came with. [tokens]
  const torch::Tensor& generator() const { return generator_; }

  /// \param values  of the trainer's parameters, which are the trainer's own again afterwards. [tokens]
  torch::Tensor scores(Values& values) const {
    trainer_.swap_values(values);
    std::vector<torch::Tensor> scores;
    for (const PolicyBatch& batch : batches_)
      scores.push_back(policy_.forward(batch).flatten());
    trainer_.swap_values(values);
    return at::cat(scores).masked_select(counts_);
  }

 private:
  Trainer& trainer_;
  const PolicyTrainer& policy_;
  std::span<const PolicyBatch> batches_;
  torch::Tensor counts_, generator_;
};

double moved(const torch::Tensor& before, const torch::Tensor& after) {
  return (after - before).abs().mean().item<double>();
}

const torch::Tensor& find(const Parameters& parameters, const std::string& name) {
  for (const Parameter& parameter : parameters)
    if (parameter.name == name)
      return parameter.value;
  throw InternalError("the generator has no " + name);
}

/// Writes the generator's weights of one part of the model into `values`. \return whether a bit changed
bool take_part(Values& values, const Parameters& own, const Parameters& served, const std::string& part) {
  bool changed = false;
  for (size_t i = 0; i < own.size(); ++i)
    if (part_of(own[i].name) == part) {
      const torch::Tensor value = find(served, own[i].name).detach().to(values[i].scalar_type());
      changed = changed || !torch::equal(values[i], value);
      values[i].copy_(value);
    }
  return changed;
}

std::vector<std::string> parts_of(const Parameters& parameters) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : parameters)
    if (parts.empty() || parts.back() != part_of(parameter.name))
      parts.push_back(part_of(parameter.name));
  return parts;
}

}  // namespace

std::map<std::string, double> bill_of_gap(Trainer& trainer, const PolicyTrainer& policy,
                                          const Parameters& served, torch::ScalarType dtype,
                                          std::span<const PolicyBatch> batches) {
  const torch::NoGradGuard no_grad;
  const Scorer scorer(trainer, policy, batches);
  Values values = trainer.copied_values();
  const torch::Tensor own = scorer.scores(values);
  for (torch::Tensor& value : values)
    value = value.to(dtype).to(value.scalar_type());
  torch::Tensor before = scorer.scores(values);
  std::map<std::string, double> bill = {
      {"gap", moved(own, scorer.generator())}, {"gap_dtype", moved(own, before)}, {"gap_weights", 0}};
  for (const std::string& part : parts_of(trainer.parameters())) {
    double& term = bill["gap." + part];
    if (!take_part(values, trainer.parameters(), served, part))
      continue;
    const torch::Tensor after = scorer.scores(values);
    term = moved(before, after);
    bill["gap_weights"] += term;
    before = after;
  }
  bill["gap_arithmetic"] = moved(before, scorer.generator());
  return bill;
}

}  // namespace parity::reference
