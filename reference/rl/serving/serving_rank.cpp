// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/serving/serving_rank.hpp"

#include <memory>
#include <vector>

#include "reference/config/model_names.hpp"
#include "reference/rl/serving/completions.hpp"
#include "reference/rl/serving/policy_server.hpp"

namespace parity::reference {
namespace {

int64_t digest_of(const std::vector<GenerationRequest>& requests,
                  const std::vector<Completion>& completions) {
  std::vector<std::span<const int64_t>> sequences;
  for (size_t i = 0; i < requests.size(); ++i)
    sequences.insert(sequences.end(), {requests[i].prompt, completions[i].tokens});
  return digest_of_tokens(sequences);
}

int64_t count_tokens(const std::vector<Completion>& completions) {
  int64_t tokens = 0;
  for (const Completion& completion : completions)
    tokens += static_cast<int64_t>(completion.tokens.size());
  return tokens;
}

class ServingRank {
 public:
  ServingRank(const RunConfig& config, const GroupPointer& all)
      : config_(config),
        ranks_(policy_ranks(config, all)),
        server_(config, dimensions_of(config), ranks_),
        sync_(Parameters(), server_.weights(), all, config.rl.push, generator_dtype(config)) {}

  ServedUpdate serve(int64_t update) {
    pull(update - 1);
    const std::vector<GenerationRequest> requests = requests_of(config_, update);
    const std::vector<Completion> own = server_.complete(requests);
    const int64_t version = sync_.version();
    const std::vector<Completion> all =
        exchange_completions(ranks_, own, static_cast<int64_t>(requests.size()), config_.rl.max_new_tokens);
    pull(update);
    return {version, digest_of(requests, all), count_tokens(own)};
  }

 private:
  /// Pulls the version that is due after so many updates, unless it is served already.
  void pull(int64_t updates) {
    if (const int64_t due = due_version(config_.rl, updates); due > sync_.version())
      server_.pull(sync_, due);
  }

  RunConfig config_;
  PolicyRanks ranks_;
  PolicyServer server_;
  WeightSync sync_;
};

}  // namespace

Serving serve_policy(const RunConfig& config, const GroupPointer& all) {
  const auto rank = std::make_shared<ServingRank>(config, all);
  return [rank](int64_t update) { return rank->serve(update); };
}

}  // namespace parity::reference
