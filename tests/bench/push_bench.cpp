// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Times a push of weights to a generator, directly and through the whole state dict, one after the other.
//
// Usage: push_bench CONFIG TP DTYPE ROUNDS RESULT, as one of the ranks of a job
//
// The generator is sharded over each TP ranks. Rank 0 writes {"METHOD": {"plan": s, "push": [s, ...], "pull":
// [s, ...], "bytes": N}, "parameter_bytes": N} to RESULT: seconds of the slowest rank, bytes given by all
// ranks in a push, and of the whole model in the transfer dtype. Ends with status 1 if the two ways serve
// different bits.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <c10/core/ScalarType.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "reference/comm/job.hpp"
#include "reference/config/model_names.hpp"
#include "reference/config/read.hpp"
#include "reference/parallel/apply.hpp"
#include "reference/parallel/model/tensor_parallel.hpp"
#include "reference/rl/weight_sync/weight_sync.hpp"

namespace parity::reference {
namespace {

constexpr std::array methods = {PushMethod::direct, PushMethod::gathered};

template <class Act>
double seconds_of(const Group& world, const Act& act) {
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  act();
  const torch::Tensor slowest = torch::full(
      {1}, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), torch::kFloat64);
  world.all_reduce(slowest, Reduction::max);
  return slowest.item<double>();
}

int64_t sum_over(const Group& world, int64_t value) {
  const torch::Tensor sum = torch::full({1}, value, torch::kInt64);
  world.all_reduce(sum);
  return sum.item<int64_t>();
}

/// A generator, a push route to it, and the times of its pushes.
struct Way {
  Decoder model;
  Parameters served;
  std::unique_ptr<WeightSync> sync = nullptr;
  double plan = 0;
  std::vector<double> push = {}, pull = {};
  int64_t bytes = 0;

  Way(const ModelDimensions& dimensions, const Parameters& trained, const std::shared_ptr<Group>& world,
      const GroupPointer& ranks, torch::ScalarType dtype, PushMethod method)
      : model(dimensions, dtype) {
    ParallelConfig cut;
    cut.tp = ranks->size();
    served = apply_tensor_parallel(model, cut, ranks);
    plan = seconds_of(*world,
                      [&] { sync = std::make_unique<WeightSync>(trained, served, world, method, dtype); });
  }

  void run(const Group& world, int64_t version) {
    PushResult pushed;
    push.push_back(seconds_of(world, [&] { pushed = sync->push(version); }));
    pull.push_back(seconds_of(world, [&] { sync->pull(version); }));
    bytes = sum_over(world, pushed.bytes);
  }
};

int64_t bytes_of(const Decoder& model, torch::ScalarType dtype) {
  int64_t elements = 0;
  const Decoder whole(model.dimensions(), dtype, {}, torch::kMeta);
  for (const Parameter& parameter : whole.parameters())
    elements += parameter.value.numel();
  return elements * static_cast<int64_t>(c10::elementSize(dtype));
}

bool same_bits(const Parameters& a, const Parameters& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!a[i].value.equal(b[i].value))
      return false;
  return a.size() == b.size();
}

int measure(const RunConfig& config, int64_t tp, torch::ScalarType dtype, int64_t rounds,
            const std::string& result) {
  const auto world = Group::world(job_from_environment([](const char* name) {
                                    const char* value = std::getenv(name);
                                    return std::string(value != nullptr ? value : "");
                                  }),
                                  std::chrono::seconds(300));
  Decoder model(dimensions_of(config), torch::kFloat32);
  initialize(model, 1);
  const Applied applied = apply_parallelism(model, config.parallel, make_parallel(config.parallel, world));
  std::vector<int64_t> neighbours;
  for (int64_t i = 0; i < tp; ++i)
    neighbours.push_back(world->rank() / tp * tp + i);
  const auto ranks = world->subgroup("served", neighbours);
  std::vector<std::unique_ptr<Way>> ways;
  for (const PushMethod method : methods)
    ways.push_back(
        std::make_unique<Way>(model.dimensions(), applied.parameters, world, ranks, dtype, method));
  for (int64_t round = 0; round < rounds; ++round)
    for (size_t i = 0; i < ways.size(); ++i)
      ways[(static_cast<size_t>(round) + i) % ways.size()]->run(*world, round);
  const bool same = sum_over(*world, same_bits(ways[0]->served, ways[1]->served)) == world->size();
  if (world->rank() == 0) {
    Json json = {{"parameter_bytes", bytes_of(model, dtype)}};
    for (size_t i = 0; i < ways.size(); ++i)
      json[std::string(name_of(methods[i]))] = {{"plan", ways[i]->plan},
                                                {"push", ways[i]->push},
                                                {"pull", ways[i]->pull},
                                                {"bytes", ways[i]->bytes}};
    std::ofstream(result) << json.dump();
  }
  return same ? 0 : 1;
}

}  // namespace
}  // namespace parity::reference

int main(int count, char** words) try {
  using namespace parity;
  if (count != 6)
    throw UserError("usage: push_bench CONFIG TP DTYPE ROUNDS RESULT");
  reference::RunConfig config;
  reference::read_config_file(config, words[1]);
  return reference::measure(config, std::atoll(words[2]), c10::getStringToDtypeMap().at(words[3]),
                            std::atoll(words[4]), words[5]);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
