// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/collectives.hpp"
#include "reference/parallel/pipeline_schedule.hpp"

namespace parity::reference {

/// What the last stage makes of a piece's hidden states.
struct PieceLoss {
  torch::Tensor loss;         ///< scalar
  torch::Tensor hidden_grad;  ///< undefined: backward goes through `loss`; else the loss has been
                              ///< differentiated already, as far as the hidden states

  /// \param hidden  that it was made of
  void backward(const torch::Tensor& hidden) const;
};

/// Several ranks that hold consecutive blocks of a model each, and hand the pieces of a micro-batch on to one
/// another: hidden states forward, their gradients backward, a message each.
///
/// Every rank of the pipeline has every piece's input, since masks and RoPE turns are worked out from it.
/// Sends do not wait; a receive does, so that ranks run as their schedule and these messages let them.
class Pipeline {
 public:
  /// Called on the rank of the last stage, once a piece, in order.
  using Loss = std::function<PieceLoss(int64_t piece, const torch::Tensor& hidden_BSD)>;
  /// Takes intermediate results, of the stages that this rank has.
  using StageProbe = std::function<void(int64_t stage, const std::string& name, const torch::Tensor& value)>;

  /// \param model      as keep_stages left it; must outlive this object
  /// \param ranks      along pp
  /// \param sequence   ranks that share the residual stream along the sequence; a group of one where none do
  Pipeline(const Decoder& model, const PipelineShape& shape, GroupPointer ranks, GroupPointer sequence);

  /// Forward and backward of all pieces: adds to the gradients of this rank's stages.
  /// \param pieces  shape().pieces of them, the same on every rank of the pipeline
  /// \return [M] float32 or float64, the pieces' losses; the same bits on every rank of the pipeline
  torch::Tensor train(const std::vector<ModelInput>& pieces, const Loss& loss) const;
  /// The losses alone.
  torch::Tensor evaluate(const std::vector<ModelInput>& pieces, const Loss& loss) const;
  /// Forward of one piece, through one stage after the other.
  void probe(const ModelInput& piece, const StageProbe& probe) const;

  const PipelineShape& shape() const { return shape_; }

 private:
  class Run;
  torch::Tensor run(const std::vector<PipelineAction>& actions, const std::vector<ModelInput>& pieces,
                    const Loss& loss) const;
  /// What a stage other than the first takes: memory for it.
  torch::Tensor room_for(const ModelInput& piece) const;
  torch::TensorOptions weight_options() const;

  const Decoder& model_;
  PipelineShape shape_;
  std::vector<Section> sections_;  ///< of every stage
  GroupPointer ranks_;
  GroupPointer sequence_;
};

}  // namespace parity::reference
