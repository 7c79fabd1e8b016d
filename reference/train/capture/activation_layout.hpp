// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "harness/trace/format/phase.hpp"
#include "reference/comm/device_mesh.hpp"
#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Computes where a rank's piece of a module's result lies in the result of the whole update,
/// [global batch, S, ...].
class ActivationLayouts {
 public:
  /// \param parameters  that this rank trains. Matrices that are sharded over tp give the columns of a result
  ActivationLayouts(const RunConfig& config, const DeviceMesh& mesh, int64_t rank,
                    const Parameters& parameters);

  struct Piece {
    std::vector<int64_t> shape;  ///< [B, S, ...] of the piece, where the result has it as [B S, ...] too
    TensorLayout layout;         ///< with a placement along micro_batch where the update has several pieces
  };
  /// Returns the layout of a module's result, or of its gradient.
  /// \param phase      forward, or backward for the gradient of the result
  /// \param part       name of the module
  /// \param shape      of the result on this rank
  /// \param first_row  place of the result's first row in this rank's rows of the update
  /// \return nothing if the result is not laid out by this rank's tokens, such as the rows that experts
  /// receive
  std::optional<Piece> of(trace::Phase phase, const std::string& part, std::vector<int64_t> shape,
                          int64_t first_row) const;

  /// Returns the layout of what each token has that this rank reads of some rows, [B, S, ...].
  /// \param width  numbers of each token: [B, S, width]; 0 = one number, [B, S]
  Piece of_tokens(int64_t first_row, int64_t width = 0) const;

 private:
  struct Columns {
    int64_t whole = 0;
    std::vector<IndexRange> own;
  };
  int64_t size(const std::string& dimension) const;
  int64_t place(const std::string& dimension) const;
  std::vector<IndexRange> own_rows() const;
  int64_t rows_of_piece() const;
  Piece laid_out(std::vector<int64_t> shape, int64_t first_row,
                 const decltype(Placement::kind)& over_tensor_ranks) const;
  std::optional<std::vector<IndexRange>> positions(int64_t count) const;
  std::optional<Columns> columns(const std::string& part, const std::vector<int64_t>& shape) const;
  bool is_term(trace::Phase phase, const std::string& part) const;

  const RunConfig& config_;
  const DeviceMesh& mesh_;
  int64_t rank_;
  const Parameters& parameters_;
  bool is_latent_;
  int64_t rows_;                 ///< number of the update's rows on this rank
  int64_t first_row_;            ///< place of the first of these rows in the update
  std::vector<int64_t> places_;  ///< positions of each sequence that this rank has
};

}  // namespace parity::reference
