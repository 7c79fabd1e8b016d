// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/trace/read/trace.hpp"
#include "reference/config/model_names.hpp"

namespace parity::reference {

/// Where a rank's tokens are in an update: its rows, and its positions in each of them.
struct TokenPlaces {
  int64_t global_batch = 0;
  int64_t seq_len = 0;
  int64_t first_row = 0;           ///< of this rank, in the update
  std::vector<int64_t> positions;  ///< of each sequence that this rank has; empty = all
};

/// Reads the routes that another run recorded: for each update and mixture of experts the choice of every
/// token, [global batch, S, E] bool. Any layout can replay the routes of any other.
///
/// A trace that does not fit is refused: without a step or a layer, of other rows, positions or experts, with
/// another number of experts for a token, or of other tokens.
/// Source: rollout routing replay (arXiv:2510.11370); Megatron-LM #4168.
class RouteReplay {
 public:
  /// \param model  whose routers are replaced
  /// \throws UserError if the trace is missing
  RouteReplay(const std::filesystem::path& trace, const ModelDimensions& model, TokenPlaces places);

  /// Begins a micro-batch. \param first_row  its place in this rank's rows of the update
  /// \throws UserError if the trace has no routes of this step, or those of other layers
  void begin(int64_t step, int64_t first_row);
  /// Ends it. Passes outside of micro-batches, such as an evaluation, choose for themselves.
  void end() { is_on_ = false; }

  /// Returns the experts of some sequences' tokens, [T, K] int64 ascending in each row, on the CPU; an
  /// undefined tensor outside of micro-batches.
  /// \param part       name of the mixture, "layers.0.moe"
  /// \param first_row  place of the first sequence in the micro-batch
  /// \throws UserError if the recorded choice does not fit this model
  torch::Tensor experts(const std::string& part, int64_t first_row, int64_t sequences) const;

  /// Checks that the recorded routes are those of the tokens of update `step`.
  /// \param digest  channel batch_digest of this run. \throws UserError if they are of other tokens
  void check_tokens(int64_t step, int64_t digest) const;

 private:
  [[noreturn]] void refuse(const std::string& cause) const;
  TensorView recorded(const std::string& part) const;

  trace::Trace trace_;
  ModelDimensions model_;
  TokenPlaces places_;
  int64_t step_ = 0;
  int64_t first_row_ = 0;
  bool is_on_ = false;
};

}  // namespace parity::reference
