// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/memory_estimate.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reference/config/frozen.hpp"
#include "reference/config/model_names.hpp"
#include "reference/optim/adafactor/adafactor.hpp"
#include "reference/optim/muon/muon.hpp"
#include "reference/parallel/data/fsdp.hpp"
#include "reference/parallel/model/tensor_parallel.hpp"
#include "reference/parallel/pipeline/stages.hpp"

namespace parity::reference {
namespace {

constexpr int64_t bfloat16_bytes = 2;

/// Returns the model with shapes only.
Decoder model_of(const RunConfig& config) {
  ModelDimensions dimensions = dimensions_of(config);
  dimensions.max_seq_len = 1;  // of the RoPE table, which the estimate leaves out
  return {
      dimensions, config.dtype == Precision::float64 ? torch::kFloat64 : torch::kFloat32, {}, torch::kMeta};
}

int64_t divided_up(int64_t count, int64_t parts) {
  return (count + parts - 1) / parts;
}

/// Sizes of the first rank's part under tensor parallel, which is the largest.
std::vector<int64_t> cut_sizes(const Parameter& parameter, int64_t tp) {
  std::vector<int64_t> sizes = parameter.value.sizes().vec();
  if (const auto dim = tensor_parallel_cut(parameter.name); dim && tp > 1)
    sizes[static_cast<size_t>(*dim)] = divided_up(sizes[static_cast<size_t>(*dim)], tp);
  return sizes;
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t elements = 1;
  for (const int64_t size : sizes)
    elements *= size;
  return elements;
}

/// Returns how many numbers the optimizer keeps for each element of a parameter.
int64_t moments_of(const OptimizerConfig& optimizer, const Parameter& parameter) {
  switch (optimizer.name) {
    case OptimizerName::sgd:
      return optimizer.momentum > 0 ? 1 : 0;
    case OptimizerName::muon:
      return is_muon_matrix(parameter) ? 1 : 2;
    case OptimizerName::lion:
      return 1;
    case OptimizerName::adafactor:
      return 0;  // its moments are not of elements
    case OptimizerName::adamw:
    case OptimizerName::adam:
      break;
  }
  return 2;
}

/// Returns how many numbers it keeps of an element's value, for weights of bfloat16.
int64_t kept_values_of(const OptimizerConfig& optimizer) {
  return optimizer.weights == WeightStorage::kahan || optimizer.weights == WeightStorage::master ? 1 : 0;
}

/// Returns the largest sum that is whole at one time: everything, one unit, or one unit together with the
/// last one that is kept. Experts are whole together with the rest of their block.
int64_t gathered_at_once(const std::map<std::string, int64_t>& units, const std::string& last,
                         ReshardAfterForward reshard) {
  const auto with_experts = [&](const std::string& unit) {
    const auto experts = units.find(unit + ".moe.experts");
    return units.at(unit) + (experts == units.end() ? 0 : experts->second);
  };
  const bool keeps_last = reshard == ReshardAfterForward::all_but_last && units.size() > 1;
  int64_t sum = 0, largest = 0;
  for (const auto& [name, elements] : units) {
    sum += elements;
    if (!keeps_last || name != last)
      largest = std::max(largest, with_experts(name));
  }
  if (reshard == ReshardAfterForward::never)
    return sum;
  return largest + (keeps_last ? units.at(last) : 0);
}

MemoryEstimate estimate_of(const RunConfig& config, const Parameters& own) {
  const ParallelConfig& parallel = config.parallel;
  const int64_t element = config.dtype == Precision::float64 ? 8 : 4;
  const bool has_policy = parallel.mixed_precision == MixedPrecision::bf16 && element == 4;
  const int64_t shards = parallel.has_units() ? parallel.dp_shard * parallel.cp : 1;
  MemoryEstimate estimate;
  int64_t trained = 0;                   // parameters
  std::map<std::string, int64_t> units;  // elements
  std::string last;                      // to begin
  for (const Parameter& parameter : own) {
    std::vector<int64_t> sizes = cut_sizes(parameter, parallel.tp);
    const bool is_apart = parallel.ep > 1 && is_expert(parameter.name);
    if (is_apart)
      sizes.front() = divided_up(sizes.front(), parallel.ep);
    const std::string unit = fsdp_unit_of(parameter.name, dimensions_of(config).tied, parallel.ep > 1);
    if (!units.contains(unit)) {
      units[unit] = 0;
      last = unit;
    }
    units[unit] += product(sizes);
    sizes.front() = divided_up(sizes.front(), is_apart ? shards / parallel.ep : shards);
    estimate.parameters += product(sizes);
    if (is_trained(config, parameter.name)) {
      trained += product(sizes);
      estimate.optimizer += product(sizes) * element *
                            (moments_of(config.optimizer, parameter) + kept_values_of(config.optimizer));
      if (config.optimizer.name == OptimizerName::adafactor)
        estimate.optimizer += adafactor_numbers(parameter.value.sizes()) * element;
    }
  }
  estimate.weights = estimate.parameters * element;
  estimate.gradients = trained * element;
  if (parallel.has_units() && (shards > 1 || has_policy))
    estimate.gathered = gathered_at_once(units, last, parallel.reshard_after_forward) *
                        (has_policy ? bfloat16_bytes : element);
  return estimate;
}

/// Returns the weights of a generator on one of its ranks, served and staged [bytes].
int64_t generator_bytes(const RunConfig& config, const Decoder& model) {
  int64_t elements = 0;
  for (const Parameter& parameter : model.parameters())
    elements += parameter.value.numel();
  const int64_t element = config.dtype == Precision::float64                          ? 8
                          : config.rl.generator.dtype == GeneratorPrecision::bfloat16 ? 2
                                                                                      : 4;
  return 2 * (elements / config.rl.generator.tp) * element;
}

/// Returns what a rank that trains a policy keeps besides.
/// \param own  bytes of the weights that the rank trains, and of a reference policy
int64_t served_bytes(const RunConfig& config, const Decoder& model, int64_t own) {
  if (config.data.source != DataSource::rollouts)
    return 0;
  const RlConfig& rl = config.rl;
  const bool has_reference = rl.loss == PolicyLossName::dpo || rl.reference == ReferencePolicy::always ||
                             (rl.reference == ReferencePolicy::when_weighted && rl.kl_coef > 0);
  const int64_t kept = rl.loop == RolloutLoop::asynchronous ? rl.staleness + 1 : 0;
  const int64_t generator = rl.generator.ranks > 0 ? 0 : generator_bytes(config, model);
  return generator + (kept + (has_reference ? 1 : 0)) * own;
}

/// Returns a number such as "8,030,261,248".
std::string count_text(int64_t value) {
  return value < 1000 ? std::to_string(value)
                      : count_text(value / 1000) + fmt::format(",{:03}", value % 1000);
}

std::string bytes_text(int64_t bytes) {
  const auto mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

}  // namespace

int64_t parameter_count(const RunConfig& config) {
  int64_t count = 0;
  const Decoder model = model_of(config);
  for (const Parameter& parameter : model.parameters())
    count += parameter.value.numel();
  return count;
}

std::vector<MemoryEstimate> estimate_memory(const RunConfig& config) {
  const Decoder model = model_of(config);
  const ParallelConfig& parallel = config.parallel;
  const int64_t layers = model.dimensions().n_layers, stages = parallel.pp * parallel.pp_stages;
  const std::vector<Section> sections = sections_of(layers, stages);
  std::vector<MemoryEstimate> estimates;
  for (int64_t rank = 0; rank < parallel.pp; ++rank) {
    Parameters own;
    for (const Parameter& parameter : model.parameters())
      for (int64_t stage = rank; stage < stages; stage += parallel.pp)
        if (uses_weight(sections[static_cast<size_t>(stage)], layers, parameter.name)) {
          own.push_back(parameter);
          break;
        }
    estimates.push_back(estimate_of(config, own));
    estimates.back().served = served_bytes(config, model, estimates.back().weights);
  }
  return estimates;
}

std::string estimate_text(const RunConfig& config) {
  std::string text =
      fmt::format("{}: {} parameters in {}, {} rank{}\n", config.model, count_text(parameter_count(config)),
                  name_of(config.dtype), config.ranks(), config.ranks() == 1 ? "" : "s");
  const std::vector<MemoryEstimate> estimates = estimate_memory(config);
  for (size_t rank = 0; rank < estimates.size(); ++rank) {
    const MemoryEstimate& e = estimates[rank];
    text += fmt::format(
        "{}: {} parameters; weights {}, gradients {}, optimizer {}{}{}: {} and activations\n",
        estimates.size() > 1 ? fmt::format("a rank at pp {}", rank) : "a rank", count_text(e.parameters),
        bytes_text(e.weights), bytes_text(e.gradients), bytes_text(e.optimizer),
        e.gathered > 0 ? ", gathered units up to " + bytes_text(e.gathered) : "",
        e.served > 0 ? ", served and reference " + bytes_text(e.served) : "", bytes_text(e.total()));
  }
  if (config.rl.generator.ranks > 0)
    text += fmt::format("a rank that only generates: weights {}, its cache and activations\n",
                        bytes_text(generator_bytes(config, model_of(config))));
  return text;
}

}  // namespace parity::reference
