// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/core/collectives.hpp"

namespace parity::reference {

/// What is to be completed.
struct GenerationRequest {
  std::vector<int64_t> prompt;
  int64_t max_new_tokens = 0;
  uint64_t stream = 0;  ///< names its random numbers
};

struct Completion {
  std::vector<int64_t> tokens;   ///< with the EOS, if it came
  std::vector<double> logprobs;  ///< of each token, under softmax(logits) without a temperature
  bool ended = false;            ///< by the EOS
  int64_t version = -1;          ///< of the weights
};

/// A prompt and tokens behind it.
struct Sequence {
  std::vector<int64_t> prompt;
  std::vector<int64_t> completion;
};

struct GeneratorOptions {
  GroupPointer tensor = {};                   ///< ranks that share each matrix; null = this one alone
  torch::ScalarType dtype = torch::kFloat32;  ///< of the weights: float32, float64 or bfloat16
  int64_t max_sequences = 8;                  ///< that run at a time
  int64_t max_tokens = 256;                   ///< of a pass; a longer prompt takes several
  bool cache = true;                          ///< false: whole sequences again for each token
  bool batch_invariant = false;               ///< see make_batch_invariant()
  double temperature = 1;                     ///< 0 = the likeliest token, of equals the first
  int64_t eos_id = -1;                        ///< ends a completion; -1 = none
  uint64_t seed = 0;
  int64_t sliding_window = 0;  ///< as MaskRule's
};

/// A policy that completes prompts: a decoder of its own, whose weights are written from outside.
///
/// Sequences wait in a queue and run in a fixed number of slots. Each pass is one row of tokens with
/// positions of their own: pieces of prompts, and one token of each sequence that is being written. Only last
/// tokens go through the output projection. Who is done frees its slot at once.
///
/// With tensor parallel every rank of the group makes the same calls. It has the same logits as the others,
/// bit for bit, and chooses the same tokens from them.
///
/// Determinism: a sampled token depends on seed, stream and its place in the completion, and on logits; these
/// depend on the batch by rounding, with batch_invariant not at all, and on the layout by rounding.
class Generator {
 public:
  /// \throws UserError if an option is out of range or the model cannot be batch-invariant
  Generator(const ModelDimensions& dimensions, GeneratorOptions options);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// What this rank computes with, in the model's order, with layouts over "tp"; to be written in place.
  const Parameters& parameters() const;
  /// Biases of its routers, which are no parameters; likewise.
  Parameters router_biases() const;
  /// Says which version of the weights has been written. \param version  at least 0
  void set_version(int64_t version);
  int64_t version() const;

  /// \return in the order of the requests
  /// \throws UserError if there are no weights yet, a prompt is empty, a token is none of the vocabulary, a
  /// sequence could outgrow the model, or logits are not finite, naming sequence and position
  std::vector<Completion> generate(std::span<const GenerationRequest> requests);
  /// Log probabilities of the completions' tokens, from one pass over each whole sequence.
  /// \throws UserError as above
  std::vector<std::vector<double>> logprobs(std::span<const Sequence> sequences);

  /// Passes through the model so far, and tokens in them.
  struct Work {
    int64_t passes = 0;
    int64_t tokens = 0;
  };
  Work work() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::reference
