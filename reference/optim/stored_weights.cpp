// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/stored_weights.hpp"

#include <bit>
#include <cmath>

namespace parity::reference {
namespace {

/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
uint64_t split_mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Returns the 64-bit FNV-1a hash.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

uint64_t key_of(uint64_t seed, std::string_view name, uint64_t update) {
  return split_mix(split_mix(split_mix(seed) ^ hash_of(name)) + update);
}

uint16_t draw_of(uint64_t key, uint64_t place) {
  return static_cast<uint16_t>(split_mix(key + place) >> 48);
}

/// Rounds every element of x in place. \param place  of each; undefined = in order
void round_by_chance(const torch::Tensor& x, const torch::Tensor& place, uint64_t key) {
  float* values = x.mutable_data_ptr<float>();
  const int64_t* places = place.defined() ? place.const_data_ptr<int64_t>() : nullptr;
  for (int64_t i = 0; i < x.numel(); ++i)
    values[i] =
        stochastically_rounded(values[i], draw_of(key, static_cast<uint64_t>(places ? places[i] : i)));
}

}  // namespace

uint16_t rounding_draw(uint64_t seed, std::string_view name, uint64_t update, uint64_t place) {
  return draw_of(key_of(seed, name, update), place);
}

float stochastically_rounded(float x, uint16_t draw) {
  if (!std::isfinite(x))
    return x;
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t toward_zero = bits & 0xFFFF0000, fraction = bits & 0xFFFF;
  return std::bit_cast<float>(draw < fraction ? toward_zero + 0x10000 : toward_zero);
}

StoredWeights::StoredWeights(std::unique_ptr<Optimizer> inner, Parameters parameters,
                             const OptimizerConfig& config, std::vector<torch::Tensor> places, bool rounds)
    : inner_(std::move(inner)),
      parameters_(std::move(parameters)),
      storage_(config.weights),
      seed_(static_cast<uint64_t>(config.rounding_seed)),
      rounds_(rounds),
      places_(std::move(places)),
      update_(torch::zeros({}, torch::kInt64)) {
  const torch::NoGradGuard no_grad;
  parameters_written();
  for (const Parameter& parameter : parameters_) {
    const torch::Tensor value = parameter.value.detach();
    if (storage_ == WeightStorage::kahan)
      kept_.push_back(torch::zeros_like(value));
    if (storage_ == WeightStorage::master)
      kept_.push_back(value.clone());
  }
}

/// Returns R(x) in the dtype of x.
torch::Tensor StoredWeights::rounded(const torch::Tensor& x) const {
  return rounds_ ? x.to(torch::kBFloat16).to(x.scalar_type()) : x;
}

/// Gives the optimizer the master weights of those elements that have them still.
void StoredWeights::put_masters() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor value = parameters_[i].value.detach();
    value.copy_(at::where(rounded(kept_[i]).eq(value), kept_[i], value));
  }
}

/// Rounds what the optimizer left in parameter i. \param before  p, if Kahan's rule needs it
void StoredWeights::store(size_t i, const torch::Tensor& before) {
  torch::Tensor value = parameters_[i].value.detach();
  switch (storage_) {
    case WeightStorage::stochastic:
      if (rounds_)
        round_by_chance(value, places_[i],
                        key_of(seed_, parameters_[i].name, static_cast<uint64_t>(update_.item<int64_t>())));
      return;
    case WeightStorage::kahan: {
      const torch::Tensor correction = rounded(kept_[i] + (value - before));
      value.copy_(rounded(before + correction));
      kept_[i].copy_(rounded(correction + rounded(before - value)));
      return;
    }
    case WeightStorage::master:
      kept_[i].copy_(value);
      [[fallthrough]];
    default:
      value.copy_(rounded(value));
  }
}

bool StoredWeights::parameters_written() {
  if (!rounds_)
    return false;
  const torch::NoGradGuard no_grad;
  bool changed = false;
  for (const Parameter& parameter : parameters_) {
    torch::Tensor value = parameter.value.detach();
    const torch::Tensor stored = rounded(value);
    changed = changed || !at::where(value.isnan(), stored.isnan(), stored.eq(value)).all().item<bool>();
    value.copy_(stored);
  }
  return changed;
}

void StoredWeights::step(const UpdateNumbers& numbers) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> before(parameters_.size());
  if (storage_ == WeightStorage::master)
    put_masters();
  if (storage_ == WeightStorage::kahan)
    for (size_t i = 0; i < parameters_.size(); ++i)
      before[i] = parameters_[i].value.detach().clone();
  inner_->step(numbers);
  update_.add_(1);
  for (size_t i = 0; i < parameters_.size(); ++i)
    store(i, before[i]);
}

std::vector<Optimizer::State> StoredWeights::state() const {
  std::vector<State> result = inner_->state();
  const std::string kind = storage_ == WeightStorage::master ? "master/" : "correction/";
  for (size_t i = 0; i < kept_.size(); ++i)
    result.push_back({kind + parameters_[i].name, kept_[i], parameters_[i].layout});
  if (storage_ == WeightStorage::stochastic)
    result.push_back({"rounding/update", update_});
  return result;
}

}  // namespace parity::reference
