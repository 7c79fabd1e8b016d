// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/serving/policy_server.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"
#include "reference/rl/serving/completions.hpp"
#include "reference/rl/sum_of_digits.hpp"

namespace parity::reference {
namespace {

GeneratorOptions generator_options(const RunConfig& config, GroupPointer ranks) {
  const auto& generator = config.rl.generator;
  GeneratorOptions options;
  options.tensor = std::move(ranks);
  options.dtype = generator_dtype(config);
  options.max_sequences = generator.max_sequences;
  options.max_tokens = generator.max_tokens;
  options.cache = generator.cache;
  options.batch_invariant = config.train.batch_invariant;
  options.tp_sum_pieces = config.parallel.tp_sum_pieces;
  options.temperature = config.rl.temperature;
  options.eos_id = SumOfDigits::end;
  options.seed = static_cast<uint64_t>(config.data.seed);
  return options;
}

torch::Tensor find_weight(const Parameters& parameters, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name)
      return parameter.value;
    names.push_back(parameter.name);
  }
  throw UserError("cannot use rl.push_omits = \"" + name + "\" (the generator has no such weight)" +
                  suggestion(name, names));
}

std::vector<torch::Tensor> copied(const Parameters& weights) {
  std::vector<torch::Tensor> values;
  for (const Parameter& weight : weights)
    values.push_back(weight.value.clone());
  return values;
}

}  // namespace

torch::ScalarType generator_dtype(const RunConfig& config) {
  if (config.dtype == Precision::float64)
    return torch::kFloat64;  // a twin has no 16-bit types
  return config.rl.generator.dtype == GeneratorPrecision::bfloat16 ? torch::kBFloat16 : torch::kFloat32;
}

int64_t due_version(const RlConfig& config, int64_t updates) {
  return config.loop == RolloutLoop::asynchronous ? std::max<int64_t>(0, updates - config.staleness)
                                                  : updates - updates % config.push_every;
}

PolicyServer::PolicyServer(const RunConfig& config, const ModelDimensions& dimensions,
                           const PolicyRanks& ranks)
    : ranks_(ranks),
      generator_(dimensions, generator_options(config, ranks.tensor)),
      serves_stale_(config.rl.pull == PullRule::stale) {
  for (const std::string& name : config.rl.push_omits)
    omitted_.push_back(find_weight(generator_.parameters(), name));
}

std::vector<Completion> PolicyServer::complete(std::span<const GenerationRequest> requests) {
  const CompletionShare share = share_of(ranks_, static_cast<int64_t>(requests.size()));
  return generator_.generate(
      requests.subspan(static_cast<size_t>(share.first), static_cast<size_t>(share.count)));
}

PushResult PolicyServer::pull(WeightSync& sync, int64_t version) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> old;
  for (const torch::Tensor& weight : omitted_)
    old.push_back(weight.clone());
  const bool is_first = sync.version() < 0;
  const PushResult pushed = sync.push(version);
  sync.pull(version);
  for (size_t i = 0; i < omitted_.size() && !is_first; ++i)
    omitted_[i].copy_(old[i]);
  if (serves_stale_) {
    const std::vector<torch::Tensor> before = std::exchange(newest_, copied(weights()));
    for (size_t i = 0; i < before.size(); ++i)
      torch::Tensor(weights()[i].value).copy_(before[i]);
  }
  generator_.set_version(version);
  return pushed;
}

}  // namespace parity::reference
