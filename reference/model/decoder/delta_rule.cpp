// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/delta_rule.hpp"

#include <vector>

namespace parity::reference {
namespace {

// Shapes besides: N chunks of C tokens.

/// Returns [B, H, S, ...] as [B, H, N, C, ...]; the last chunk is filled up.
torch::Tensor in_chunks(const torch::Tensor& x, int64_t chunk) {
  const int64_t S = x.size(2), missing = (chunk - S % chunk) % chunk;
  torch::Tensor filled = x;
  if (missing > 0)
    filled = x.dim() == 4 ? at::constant_pad_nd(x, {0, 0, 0, missing}) : at::constant_pad_nd(x, {0, missing});
  return filled.unflatten(2, {-1, chunk});
}

/// The documents of tokens in chunks. Without documents every mask is undefined.
struct ChunkDocuments {
  torch::Tensor apart_BNCC;  ///< whether two tokens are in different documents
  torch::Tensor begun_BNC;   ///< whether the token's document began within the chunk
  torch::Tensor ended_BNC;   ///< whether the token's document ends within the chunk

  ChunkDocuments(const torch::Tensor& documents_BS, int64_t chunk) {
    if (!documents_BS.defined())
      return;
    const torch::Tensor ids_BNC = in_chunks(documents_BS.unsqueeze(1), chunk).squeeze(1);
    const torch::Tensor last_BN1 = ids_BNC.narrow(2, chunk - 1, 1);
    const torch::Tensor before_BN1 =
        at::constant_pad_nd(last_BN1, {0, 0, 1, 0}).narrow(1, 0, ids_BNC.size(1));
    apart_BNCC = ids_BNC.unsqueeze(3).ne(ids_BNC.unsqueeze(2));
    begun_BNC = ids_BNC.ne(before_BN1);
    ended_BNC = ids_BNC.ne(last_BN1);
  }
};

/// Returns x, [B, H, N, ...], with 0 where the mask, [B, N, ...], is true; x itself without a mask.
torch::Tensor without(const torch::Tensor& x, const torch::Tensor& mask) {
  return mask.defined() ? x.masked_fill(mask.unsqueeze(1), 0) : x;
}

}  // namespace

torch::Tensor recurrent_delta_rule(const DeltaInput& input) {
  const torch::Tensor &q = input.q_BHSd, &k = input.k_BHSd, &v = input.v_BHSe;
  const torch::Tensor& documents = input.documents_BS;
  const int64_t S = q.size(2);
  torch::Tensor decay_BHS = input.g_BHS.exp();
  if (documents.defined()) {
    const torch::Tensor begins = documents.narrow(1, 1, S - 1).ne(documents.narrow(1, 0, S - 1));
    decay_BHS = decay_BHS.masked_fill(at::constant_pad_nd(begins, {1, 0}).unsqueeze(1), 0);
  }
  torch::Tensor state_BHde = at::zeros({k.size(0), k.size(1), k.size(3), v.size(3)}, k.options());
  std::vector<torch::Tensor> out_BH1e;
  for (int64_t t = 0; t < S; ++t) {
    const auto at_t = [t](const torch::Tensor& x) { return x.narrow(2, t, 1); };
    const torch::Tensor k_BH1d = at_t(k);
    const torch::Tensor kept_BHde = state_BHde * at_t(decay_BHS).unsqueeze(3);
    const torch::Tensor u_BH1e =
        (at_t(v) - at::matmul(k_BH1d, kept_BHde)) * at_t(input.beta_BHS).unsqueeze(3);
    state_BHde = kept_BHde + at::matmul(k_BH1d.transpose(2, 3), u_BH1e);
    out_BH1e.push_back(at::matmul(at_t(q), state_BHde));
  }
  return at::cat(out_BH1e, 2);
}

torch::Tensor chunked_delta_rule(const DeltaInput& input, int64_t chunk, bool keeps_state) {
  const int64_t S = input.q_BHSd.size(2), e = input.v_BHSe.size(3);
  const auto cut = [chunk](const torch::Tensor& x) { return in_chunks(x, chunk); };
  const torch::Tensor q = cut(input.q_BHSd), k = cut(input.k_BHSd), v = cut(input.v_BHSe);
  const torch::Tensor beta = cut(input.beta_BHS).unsqueeze(4);
  const ChunkDocuments documents(input.documents_BS, chunk);
  // A product adds g up, since CUDA's cumsum adds in any order.
  const torch::Tensor ones_CC = at::ones({chunk, chunk}, q.options()).triu();
  const torch::Tensor G = at::matmul(cut(input.g_BHS), ones_CC);  // [B, H, N, C]
  const torch::Tensor G_last = G.narrow(3, chunk - 1, 1);
  // First tril: an exponential of a positive number could overflow.
  const torch::Tensor L =
      without((G.unsqueeze(4) - G.unsqueeze(3)).tril().exp().tril(), documents.apart_BNCC);
  const torch::Tensor from_state = without(G.exp(), documents.begun_BNC).unsqueeze(4);
  const torch::Tensor to_state = without((G_last - G).exp(), documents.ended_BNC).unsqueeze(4);
  const torch::Tensor k_beta = k * beta;
  const torch::Tensor lower = (at::matmul(k_beta, k.transpose(3, 4)) * L).tril(-1);
  const torch::Tensor UW =
      at::linalg_solve_triangular(lower, at::cat({v * beta, k_beta * from_state}, 4),
                                  /*upper=*/false, /*left=*/true, /*unitriangular=*/true);
  const torch::Tensor U = UW.narrow(4, 0, e), W = UW.narrow(4, e, k.size(4));
  const torch::Tensor inside = at::matmul(q, k.transpose(3, 4)) * L;
  const torch::Tensor q_state = q * from_state, k_state = (k * to_state).transpose(3, 4);
  const torch::Tensor empty = at::zeros({k.size(0), k.size(1), k.size(4), e}, k.options());
  torch::Tensor state = empty;
  std::vector<torch::Tensor> out;
  for (int64_t n = 0; n < q.size(2); ++n) {
    const torch::Tensor D = U.select(2, n) - at::matmul(W.select(2, n), state);
    out.push_back(at::matmul(q_state.select(2, n), state) + at::matmul(inside.select(2, n), D));
    const torch::Tensor kept = from_state.select(2, n).narrow(2, chunk - 1, 1);  // [B, H, 1, 1]
    state = keeps_state ? state * kept + at::matmul(k_state.select(2, n), D) : empty;
  }
  return at::cat(out, 2).narrow(2, 0, S);
}

}  // namespace parity::reference
