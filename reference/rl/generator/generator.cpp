// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/generator.hpp"

#include <algorithm>
#include <string>

#include "harness/base/error.hpp"
#include "reference/attention/varlen.hpp"
#include "reference/loss/token_cross_entropy.hpp"
#include "reference/model/batch_invariance.hpp"
#include "reference/parallel/model/tensor_parallel.hpp"
#include "reference/rl/generator/generator_checks.hpp"
#include "reference/rl/generator/kv_cache.hpp"
#include "reference/rl/generator/running_sequences.hpp"
#include "reference/rl/generator/sampling.hpp"

// Shapes: T tokens of a pass, n of them whose logits are needed, D model width, V vocabulary.

namespace parity::reference {
namespace {

using Tokens = std::vector<int64_t>;

AttentionBackend backend_of(const GeneratorOptions& options) {
  return options.batch_invariant ? AttentionBackend::tiled : AttentionBackend::varlen;
}

ParallelConfig layout_of(const GeneratorOptions& options) {
  return {.tp = options.tensor->size(), .tp_sum_pieces = options.tp_sum_pieces};
}

/// Weights that nothing differentiates, so that they can be written in place.
Parameters detached(Decoder& model, Parameters parameters) {
  size_t i = 0;
  model.visit_weights([&](const std::string&, torch::Tensor& weight) {
    weight = weight.detach();
    parameters.at(i++).value = weight;
  });
  return parameters;
}

/// Returns log softmax(logits)[token], computed as in the trainer.
double logprob_of(const torch::Tensor& logits_V, int64_t token) {
  return -token_cross_entropy(logits_V.unsqueeze(0), torch::full({1}, token, torch::kInt64)).item<double>();
}

}  // namespace

struct Generator::State {
  State(const ModelDimensions& dimensions, GeneratorOptions given)
      : options(checked(std::move(given), dimensions)),
        model(dimensions, options.dtype, {backend_of(options), {}}),
        parameters(detached(model, apply_tensor_parallel(model, layout_of(options), options.tensor))),
        cache(model.hooks(), dimensions.n_layers) {
    if (options.batch_invariant)
      make_batch_invariant(model.hooks(), layout_of(options).own_sum_pieces());
  }

  void require_weights() const {
    if (version < 0)
      throw UserError(
          "cannot run a generator without weights (none were pushed to it yet); push a version first");
  }
  MaskSet masks_of(const std::vector<Chunk>& pass, bool keeps) const;
  torch::Tensor hidden(const std::vector<Chunk>& pass, const std::vector<Tokens>& tokens, bool keeps);
  torch::Tensor logits(const torch::Tensor& hidden_1TD, const std::vector<int64_t>& rows) const;
  void check_finite(const torch::Tensor& logits_V, int64_t sequence, int64_t position) const;
  void choose(const GenerationRequest& request, const torch::Tensor& logits_V, Completion& completion) const;

  GeneratorOptions options;
  Decoder model;
  Parameters parameters;
  KvCache cache;
  int64_t version = -1;
  Work work;
};

/// \param keeps  whether queries attend to keys of earlier passes
MaskSet Generator::State::masks_of(const std::vector<Chunk>& pass, bool keeps) const {
  AttentionMasks masks{.backend = backend_of(options)};
  masks.sliding_window = options.sliding_window;
  std::vector<int64_t> lengths;
  for (const Chunk& chunk : pass) {
    lengths.push_back(chunk.count);
    if (keeps)
      masks.keys.push_back(cache.keys(chunk.slot, chunk.begin + chunk.count));
  }
  masks.cu_seqlens = cu_seqlens_of(lengths);
  if (model.dimensions().nope_every == 0)
    return {{"all", masks}};
  AttentionMasks everything = masks;
  everything.sliding_window = 0;
  return {{"rope", masks}, {"nope", everything}};
}

/// \param tokens  of every sequence. \return [1, T, D]
torch::Tensor Generator::State::hidden(const std::vector<Chunk>& pass, const std::vector<Tokens>& tokens,
                                       bool keeps) {
  Tokens input, positions, rows;
  for (const Chunk& chunk : pass)
    for (int64_t position = chunk.begin; position < chunk.begin + chunk.count; ++position) {
      input.push_back(tokens[static_cast<size_t>(chunk.sequence)][static_cast<size_t>(position)]);
      positions.push_back(position);
      if (keeps)
        rows.push_back(cache.row(chunk.slot, position));
    }
  ++work.passes;
  work.tokens += static_cast<int64_t>(input.size());
  cache.set_rows(keeps ? torch::tensor(rows) : torch::Tensor());
  return model.hidden(
      {torch::tensor(input).unsqueeze(0), torch::tensor(positions).unsqueeze(0), masks_of(pass, keeps)});
}

/// \param rows  of the hidden states. \return [n, V]
torch::Tensor Generator::State::logits(const torch::Tensor& hidden_1TD,
                                       const std::vector<int64_t>& rows) const {
  return model.output(hidden_1TD.index_select(1, torch::tensor(rows))).squeeze(0);
}

void Generator::State::check_finite(const torch::Tensor& logits_V, int64_t sequence, int64_t position) const {
  if (!logits_V.isfinite().all().item<bool>())
    throw UserError("logits of sequence " + std::to_string(sequence) + " at position " +
                    std::to_string(position) + " are not finite (version " + std::to_string(version) +
                    " of the weights gives infinities or NaN); check the trainer's weights and norms");
}

void Generator::State::choose(const GenerationRequest& request, const torch::Tensor& logits_V,
                              Completion& completion) const {
  const auto place = static_cast<int64_t>(completion.tokens.size());
  const int64_t token =
      sampled_token(logits_V, options.temperature, uniform_of(options.seed, request.stream, place));
  completion.tokens.push_back(token);
  completion.logprobs.push_back(logprob_of(logits_V, token));
  completion.ended = token == options.eos_id;
}

Generator::Generator(const ModelDimensions& dimensions, GeneratorOptions options)
    : state_(std::make_unique<State>(dimensions, std::move(options))) {}

Generator::~Generator() = default;

const Parameters& Generator::parameters() const {
  return state_->parameters;
}

Parameters Generator::router_biases() const {
  return state_->model.router_biases();
}

void Generator::set_version(int64_t version) {
  require(version >= 0, "a version of weights counts from 0");
  state_->version = version;
}

int64_t Generator::version() const {
  return state_->version;
}

Generator::Work Generator::work() const {
  return state_->work;
}

std::vector<Completion> Generator::generate(std::span<const GenerationRequest> requests) {
  State& s = *state_;
  s.require_weights();
  std::vector<Tokens> tokens;
  std::vector<int64_t> lengths;
  int64_t longest = 0;
  for (const GenerationRequest& request : requests) {
    check_sequence(request.prompt, request.max_new_tokens, tokens.size(), s.model.dimensions());
    tokens.push_back(request.prompt);
    lengths.push_back(static_cast<int64_t>(request.prompt.size()));
    longest = std::max(longest, lengths.back() + request.max_new_tokens);
  }
  std::vector<Completion> completions(requests.size());
  if (requests.empty())
    return completions;

  const torch::NoGradGuard no_grad;
  const int64_t slots = std::min(s.options.max_sequences, static_cast<int64_t>(requests.size()));
  s.cache.resize(slots, longest);
  RunningSequences running(lengths, {slots, s.options.max_tokens, !s.options.cache});
  for (std::vector<Chunk> pass = running.next_pass(); !pass.empty(); pass = running.next_pass()) {
    const torch::Tensor hidden_1TD = s.hidden(pass, tokens, s.options.cache);
    std::vector<int64_t> rows;
    for (int64_t end = 0; const Chunk& chunk : pass) {
      end += chunk.count;
      if (running.is_last(chunk))
        rows.push_back(end - 1);
    }
    const torch::Tensor logits_nV = rows.empty() ? torch::Tensor() : s.logits(hidden_1TD, rows);
    for (int64_t i = 0; const Chunk& chunk : pass) {
      if (!running.is_last(chunk))
        continue;
      const auto which = static_cast<size_t>(chunk.sequence);
      const torch::Tensor logits_V = logits_nV[i++];
      s.check_finite(logits_V, chunk.sequence, chunk.begin + chunk.count - 1);
      Completion& completion = completions[which];
      s.choose(requests[which], logits_V, completion);
      tokens[which].push_back(completion.tokens.back());
      const auto length = static_cast<int64_t>(completion.tokens.size());
      if (completion.ended || length == requests[which].max_new_tokens)
        running.end(chunk.sequence);
      else
        running.append(chunk.sequence);
    }
  }
  for (Completion& completion : completions)
    completion.version = s.version;
  return completions;
}

std::vector<std::vector<double>> Generator::logprobs(std::span<const Sequence> sequences) {
  State& s = *state_;
  s.require_weights();
  std::vector<Tokens> tokens;
  std::vector<int64_t> lengths;  // without the last token, after which no token is needed
  for (const auto& [prompt, completion] : sequences) {
    check_sequence(prompt, static_cast<int64_t>(completion.size()), tokens.size(), s.model.dimensions());
    check_tokens(completion, tokens.size(), s.model.dimensions().vocab_size);
    tokens.push_back(prompt);
    tokens.back().insert(tokens.back().end(), completion.begin(), completion.end());
    lengths.push_back(static_cast<int64_t>(tokens.back().size()) - 1);
  }
  std::vector<std::vector<double>> result(sequences.size());
  const torch::NoGradGuard no_grad;
  RunningSequences running(lengths, {s.options.max_sequences, s.options.max_tokens, /*whole=*/true});
  for (std::vector<Chunk> pass = running.next_pass(); !pass.empty(); pass = running.next_pass()) {
    const torch::Tensor hidden_1TD = s.hidden(pass, tokens, /*keeps=*/false);
    for (int64_t begin = 0; const Chunk& chunk : pass) {
      const auto which = static_cast<size_t>(chunk.sequence);
      std::vector<int64_t> rows;
      for (auto place = static_cast<int64_t>(sequences[which].prompt.size()) - 1; place < chunk.count;
           ++place)
        rows.push_back(begin + place);
      const torch::Tensor logits_nV = s.logits(hidden_1TD, rows);
      for (int64_t i = 0; const int64_t token : sequences[which].completion) {
        s.check_finite(logits_nV[i], chunk.sequence, rows[static_cast<size_t>(i)] - begin);
        result[which].push_back(logprob_of(logits_nV[i++], token));
      }
      running.end(chunk.sequence);
      begin += chunk.count;
    }
  }
  return result;
}

}  // namespace parity::reference
