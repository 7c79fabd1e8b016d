// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reference/optim/muon/matrix_ranks.hpp"
#include "reference/optim/muon/newton_schulz.hpp"
#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Returns whether Muon updates a parameter: a matrix of a block, or the experts of a block, each of which is
/// a matrix. Embeddings, output, norms and biases are AdamW's.
bool is_muon_matrix(const Parameter& parameter);

/// Returns the factor of the learning rate of an A x B matrix, computed as torch.optim.Muon does:
///
/// | rule            | factor            | source                    |
/// |-----------------|-------------------|---------------------------|
/// | original        | sqrt(max(1, A/B)) | Keller Jordan             |
/// | match_rms_adamw | 0.2 sqrt(max(A, B)) | Moonshot, arXiv:2502.16982 |
/// | unit_rms_norm   | sqrt(A/B)         | Bernstein, "Deriving Muon" |
/// | none            | 1                 |                           |
double muon_scale(MuonScale rule, int64_t rows, int64_t columns);

/// Computes Muon for the matrices of the blocks, and AdamW for everything else.
///
///   m += (1 - mu)(g - m)
///   u = orthogonalized(g + mu (m - g))      of m itself without Nesterov's momentum
///   p *= 1 - lr wd;  p -= lr scale u
///
/// p, g and m are this rank's shards. Newton-Schulz takes whole matrices, which `context.ranks` joins. The
/// bits are those of torch.optim.Muon for each matrix and of torch.optim.AdamW for the rest.
class Muon : public Optimizer {
 public:
  Muon(const OptimizerConfig& config, const Parameters& parameters, MatrixContext context);

  /// Uses muon_lr for the matrices, lr where it is not given. \throws UserError if lr.base and
  /// optimizer.muon.lr differ and only lr is given
  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;

 private:
  torch::Tensor next_momentum(size_t i);
  torch::Tensor direction(size_t i, const torch::Tensor& whole) const;
  torch::Tensor direction_of_qkv(const torch::Tensor& whole) const;
  bool is_split(size_t i) const;
  double scale_of(size_t i) const;
  torch::ScalarType dtype_of(size_t i) const;

  OptimizerConfig config_;
  MatrixContext context_;
  std::vector<Quintic> steps_;
  Parameters matrices_;
  std::vector<torch::Tensor> momenta_;
  std::unique_ptr<Optimizer> others_;  ///< null if every parameter is a matrix of a block
};

}  // namespace parity::reference
