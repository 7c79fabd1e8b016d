// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/pipeline/pipeline.hpp"

#include <map>
#include <utility>

#include "harness/base/error.hpp"
#include "reference/model/precision.hpp"
#include "reference/parallel/core/parts.hpp"
#include "reference/parallel/pipeline/stages.hpp"

namespace parity::reference {

void PieceLoss::backward(const torch::Tensor& hidden) const {
  if (hidden_grad.defined())
    hidden.backward(hidden_grad);
  else
    differentiated().backward();
}

/// One pass through a list of actions.
class Pipeline::Run {
 public:
  Run(const Pipeline& pipeline, const std::vector<ModelInput>& pieces, const Loss& loss)
      : p_(pipeline), pieces_(pieces), loss_(loss) {}

  void forward(int64_t stage, int64_t piece) {
    Passed passed;
    if (stage > 0) {
      passed.before = p_.room_for(input(piece));
      p_.ranks_->receive(passed.before, p_.shape_.rank_of(stage - 1), tag(stage - 1, piece, 0));
      passed.before.requires_grad_(torch::GradMode::is_enabled());
    }
    passed.after = p_.model_.section(p_.sections_[static_cast<size_t>(stage)], passed.before, input(piece));
    if (is_last(stage)) {
      passed.loss = loss_(piece, passed.after);
      losses_.push_back(passed.loss.loss.detach());
    } else {
      send(passed.after.detach(), stage + 1, tag(stage, piece, 0));
    }
    if (torch::GradMode::is_enabled())
      passed_.emplace(std::pair(stage, piece), std::move(passed));
  }

  void backward(int64_t stage, int64_t piece) {
    const Passed passed = std::move(passed_.extract(std::pair(stage, piece)).mapped());
    if (is_last(stage)) {
      passed.loss.backward(passed.after);
    } else {
      const torch::Tensor gradient = torch::empty_like(passed.after.detach(), at::MemoryFormat::Contiguous);
      p_.ranks_->receive(gradient, p_.shape_.rank_of(stage + 1), tag(stage, piece, 1));
      passed.after.backward(gradient);
    }
    if (stage > 0)
      send(passed.before.grad(), stage - 1, tag(stage - 1, piece, 1));
  }

  /// After the last action. \return [M], of the last stage
  torch::Tensor finish() {
    for (PendingSend& send : sends_)
      send.wait();
    const torch::Tensor losses =
        losses_.empty()
            ? torch::zeros({p_.shape_.pieces}, p_.hidden_options().dtype(at_least_float32(p_.compute_)))
            : at::stack(losses_);
    p_.ranks_->broadcast(losses, p_.shape_.rank_of(p_.shape_.stages() - 1));
    return losses;
  }

 private:
  /// The data of a piece that a stage keeps until its backward pass.
  struct Passed {
    torch::Tensor before;  ///< a leaf; undefined for the first stage
    torch::Tensor after;
    PieceLoss loss;  ///< of the last stage
  };

  const ModelInput& input(int64_t piece) const { return pieces_.at(static_cast<size_t>(piece)); }
  bool is_last(int64_t stage) const { return stage == p_.shape_.stages() - 1; }
  /// Returns the tag of a message between a stage and the next one.
  int64_t tag(int64_t stage, int64_t piece, int64_t backward) const {
    return 2 * (stage * p_.shape_.pieces + piece) + backward;
  }
  void send(const torch::Tensor& x, int64_t to_stage, int64_t message) {
    sends_.push_back(p_.ranks_->start_send(x.contiguous(), p_.shape_.rank_of(to_stage), message));
  }

  const Pipeline& p_;
  const std::vector<ModelInput>& pieces_;
  const Loss& loss_;
  std::map<std::pair<int64_t, int64_t>, Passed> passed_;  ///< by stage and piece
  std::vector<PendingSend> sends_;
  std::vector<torch::Tensor> losses_;
};

Pipeline::Pipeline(const Decoder& model, const PipelineShape& shape, GroupPointer ranks,
                   GroupPointer sequence, torch::ScalarType compute)
    : model_(model),
      shape_(shape),
      sections_(sections_of(model.dimensions().n_layers, shape.stages())),
      ranks_(std::move(ranks)),
      sequence_(std::move(sequence)),
      compute_(compute) {}

torch::Tensor Pipeline::room_for(const ModelInput& piece) const {
  const IndexRange own = part_of(piece.tokens_BS.size(1), sequence_->size(), sequence_->rank());
  return torch::empty({piece.tokens_BS.size(0), own.end - own.first, model_.dimensions().dim},
                      hidden_options());
}

torch::TensorOptions Pipeline::hidden_options() const {
  return torch::TensorOptions(model_.parameters().front().value.device()).dtype(compute_);
}

torch::Tensor Pipeline::run(const std::vector<PipelineAction>& actions, const std::vector<ModelInput>& pieces,
                            const Loss& loss) const {
  require(static_cast<int64_t>(pieces.size()) == shape_.pieces,
          std::to_string(pieces.size()) + " pieces where the schedule has " + std::to_string(shape_.pieces));
  Run run(*this, pieces, loss);
  for (const auto& [stage, piece, work] : actions)
    if (work == PipelineWork::forward)
      run.forward(stage, piece);
    else
      run.backward(stage, piece);
  return run.finish();
}

torch::Tensor Pipeline::train(const std::vector<ModelInput>& pieces, const Loss& loss) const {
  return run(actions_of(shape_, ranks_->rank()), pieces, loss);
}

torch::Tensor Pipeline::evaluate(const std::vector<ModelInput>& pieces, const Loss& loss) const {
  const torch::NoGradGuard no_grad;
  return run(forward_only(actions_of(shape_, ranks_->rank())), pieces, loss);
}

void Pipeline::probe(const ModelInput& piece, const StageProbe& probe) const {
  const torch::NoGradGuard no_grad;
  for (int64_t stage = ranks_->rank(); stage < shape_.stages(); stage += shape_.ranks) {
    const auto seen = [&](const std::string& name, const torch::Tensor& value) { probe(stage, name, value); };
    torch::Tensor h_BSD;
    if (stage > 0) {
      h_BSD = room_for(piece);
      ranks_->receive(h_BSD, shape_.rank_of(stage - 1));
    }
    h_BSD = model_.section(sections_[static_cast<size_t>(stage)], h_BSD, piece, seen);
    if (stage < shape_.stages() - 1)
      ranks_->send(h_BSD.contiguous(), shape_.rank_of(stage + 1));
    else
      seen("output", model_.output(h_BSD));
  }
}

}  // namespace parity::reference
