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

/// A prompt to complete.
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

/// A prompt and the tokens after it.
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
  int64_t tp_sum_pieces = 0;                  ///< as ParallelConfig's
  double temperature = 1;                     ///< 0 = the likeliest token, the first of equals
  int64_t eos_id = -1;                        ///< ends a completion; -1 = none
  uint64_t seed = 0;
  int64_t sliding_window = 0;  ///< as MaskRule's
};

/// Completes prompts with a policy. It has its own decoder, whose weights are written from outside.
///
/// Sequences wait in a queue and run in a fixed number of slots. Each pass is one row of tokens, each with
/// its position: pieces of prompts, and one token of each sequence that is being generated. Only last tokens
/// go through the output projection. A finished sequence frees its slot at once.
///
/// With tensor parallelism every rank of the group makes the same calls. All ranks have the same logits, bit
/// for bit, and choose the same tokens.
///
/// Determinism: a sampled token depends on seed, stream, its place in the completion, and logits. The batch
/// affects logits by rounding, and not at all with batch_invariant. The layout affects them by rounding, and
/// not at all with tp_sum_pieces.
class Generator {
 public:
  /// \throws UserError if an option is out of range or the model cannot be batch-invariant
  Generator(const ModelDimensions& dimensions, GeneratorOptions options);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// Returns the parameters of this rank, in the model's order, with layouts over "tp". Write to them in
  /// place.
  const Parameters& parameters() const;
  /// Returns the biases of the routers, which are not parameters. Write to them in place.
  Parameters router_biases() const;
  /// Sets the version of the weights that were written. \param version  at least 0
  void set_version(int64_t version);
  int64_t version() const;

  /// Completes prompts. \return completions in the order of the requests
  /// \throws UserError if there are no weights yet, a prompt is empty, a token is beyond the vocabulary, or a
  /// sequence could outgrow the model. Also if logits are not finite, naming sequence and position
  std::vector<Completion> generate(std::span<const GenerationRequest> requests);
  /// Returns the log probabilities of the completions' tokens, from one pass over each whole sequence.
  /// \throws UserError as generate()
  std::vector<std::vector<double>> logprobs(std::span<const Sequence> sequences);

  /// Counts the passes through the model so far, and their tokens.
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
