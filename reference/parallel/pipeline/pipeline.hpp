// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/core/collectives.hpp"
#include "reference/parallel/pipeline/schedule.hpp"

namespace parity::reference {

/// The loss that the last stage computes from the hidden states of a piece.
struct PieceLoss {
  torch::Tensor loss;  ///< scalar
  /// Gradient of the hidden states if the loss has been differentiated already; undefined if backward starts
  /// from `loss`.
  torch::Tensor hidden_grad;
  /// Scalar that is differentiated together with `loss`, but is not part of it; undefined = nothing.
  torch::Tensor further = {};
  torch::Tensor recorded = {};  ///< scalar, detached: what `further` is made of

  /// Returns the scalar that backward starts from.
  torch::Tensor differentiated() const { return further.defined() ? loss + further : loss; }
  /// \param hidden  the hidden states that the loss was computed from
  void backward(const torch::Tensor& hidden) const;
};

/// Runs a model on ranks that each hold consecutive blocks. The pieces of a micro-batch pass from one rank to
/// the next: hidden states in forward, their gradients in backward, each as one message.
///
/// Every rank of the pipeline has the input of every piece, to compute masks and RoPE from it. Sends do not
/// wait, receives do. So the schedule and the messages determine when a rank runs.
class Pipeline {
 public:
  /// Called on the rank of the last stage, once for each piece, in order.
  using Loss = std::function<PieceLoss(int64_t piece, const torch::Tensor& hidden_BSD)>;
  /// Receives the intermediate results of this rank's stages.
  using StageProbe = std::function<void(int64_t stage, const std::string& name, const torch::Tensor& value)>;

  /// \param model      as keep_stages left it; must outlive this object
  /// \param ranks      along pp
  /// \param sequence   ranks that share the residual stream along the sequence; one rank if it is not sharded
  /// \param compute    type of the weights that the ranks compute with, and so of hidden states
  Pipeline(const Decoder& model, const PipelineShape& shape, GroupPointer ranks, GroupPointer sequence,
           torch::ScalarType compute);

  /// Runs forward and backward for all pieces; adds to the gradients of this rank's stages.
  /// \param pieces  shape().pieces of them, the same on every rank of the pipeline
  /// \return [M] float32 or float64, the pieces' losses; the same bits on every rank of the pipeline
  torch::Tensor train(const std::vector<ModelInput>& pieces, const Loss& loss) const;
  /// Runs forward for all pieces. \return the losses, as train()
  torch::Tensor evaluate(const std::vector<ModelInput>& pieces, const Loss& loss) const;
  /// Runs forward for one piece, through one stage after the other.
  void probe(const ModelInput& piece, const StageProbe& probe) const;

  const PipelineShape& shape() const { return shape_; }

 private:
  class Run;
  torch::Tensor run(const std::vector<PipelineAction>& actions, const std::vector<ModelInput>& pieces,
                    const Loss& loss) const;
  /// Returns memory for the input of a stage other than the first.
  torch::Tensor room_for(const ModelInput& piece) const;
  /// Returns type and device of the hidden states between stages.
  torch::TensorOptions hidden_options() const;

  const Decoder& model_;
  PipelineShape shape_;
  std::vector<Section> sections_;  ///< of every stage
  GroupPointer ranks_;
  GroupPointer sequence_;
  torch::ScalarType compute_;
};

}  // namespace parity::reference
