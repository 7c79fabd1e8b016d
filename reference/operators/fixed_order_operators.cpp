// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The operators of batch-invariant mode, so that operator cases can ask about them:
// parity::fixed_order_linear ...
#include <torch/library.h>

#include "reference/attention/tiled.hpp"
#include "reference/model/fixed_order.hpp"

namespace parity::reference {
namespace {

/// \param a  [..., 2] real and imaginary parts \param b  [..., 2], broadcast to the shape of a
torch::Tensor complex_product(const torch::Tensor& a, const torch::Tensor& b) {
  return at::view_as_real(
      fixed_order::complex_product(at::view_as_complex(a.clone(at::MemoryFormat::Contiguous)),
                                   at::view_as_complex(b.clone(at::MemoryFormat::Contiguous))));
}

/// Causal attention whose documents are the rows of the batch.
/// \param q  [B, H, S, d] \param k  [B, K, S, d] \param v  [B, K, S, e]. \return [B, H, S, e]
torch::Tensor attention_of_rows(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v) {
  std::vector<Segment> rows;
  for (int64_t row = 0; row < q.size(0); ++row)
    rows.push_back({{row * q.size(2), q.size(2)}, {row * k.size(2), k.size(2)}});
  return tiled_attention(q, k, v, rows);
}

TORCH_LIBRARY(parity, library) {
  library.def("fixed_order_linear(Tensor x, Tensor weight) -> Tensor", &fixed_order::linear);
  library.def("fixed_order_linear_in_pieces(Tensor x, Tensor weight, int pieces) -> Tensor",
              &fixed_order::linear_in_pieces);
  library.def("fixed_order_rms_norm(Tensor x, Tensor weight, float eps) -> Tensor", &fixed_order::rms_norm);
  library.def("fixed_order_silu(Tensor x) -> Tensor", &fixed_order::silu);
  library.def("fixed_order_complex_product(Tensor a, Tensor b) -> Tensor", &complex_product);
  library.def("tiled_attention(Tensor q, Tensor k, Tensor v) -> Tensor", &attention_of_rows);
}

}  // namespace
}  // namespace parity::reference
