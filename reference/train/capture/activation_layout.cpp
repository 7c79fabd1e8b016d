// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/activation_layout.hpp"

#include <algorithm>
#include <numeric>

#include "harness/tensor/part.hpp"
#include "harness/trace/write/pieces.hpp"
#include "reference/config/model_names.hpp"
#include "reference/parallel/core/parts.hpp"
#include "reference/parallel/model/context_parallel.hpp"

namespace parity::reference {
namespace {

constexpr const char* tensor_ranks = "tp";

std::vector<int64_t> activation_places(const RunConfig& config, const DeviceMesh& mesh, int64_t rank) {
  const std::vector<std::string> names = {"cp"};
  const int64_t ranks = mesh.size(names);
  if (ranks > 1)
    return context_positions(config.data.seq_len, ranks, mesh.coordinate(rank, "cp"));
  std::vector<int64_t> all(static_cast<size_t>(config.data.seq_len));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool has_suffix(const std::string& part, const char* suffix) {
  return part.ends_with(std::string(".") + suffix);
}

}  // namespace

ActivationLayouts::ActivationLayouts(const RunConfig& config, const DeviceMesh& mesh, int64_t rank,
                                     const Parameters& parameters)
    : config_(config),
      mesh_(mesh),
      rank_(rank),
      parameters_(parameters),
      is_latent_(dimensions_of(config).is_latent()),
      places_(activation_places(config, mesh, rank)) {
  const int64_t readers = size("dp_replicate") * size("dp_shard");
  rows_ = config.data.global_batch / readers;
  first_row_ = (place("dp_replicate") * size("dp_shard") + place("dp_shard")) * rows_;
}

int64_t ActivationLayouts::size(const std::string& dimension) const {
  return mesh_.size(std::vector<std::string>{dimension});
}

int64_t ActivationLayouts::place(const std::string& dimension) const {
  return mesh_.coordinate(rank_, dimension);
}

std::vector<IndexRange> ActivationLayouts::own_rows() const {
  return {{first_row_, first_row_ + rows_}};
}

std::optional<std::vector<IndexRange>> ActivationLayouts::positions(int64_t count) const {
  const auto here = static_cast<int64_t>(places_.size());
  if (count == here)
    return ranges_of(places_);
  const IndexRange part = part_of(here, size(tensor_ranks), place(tensor_ranks));
  if (!config_.parallel.sequence_parallel || count != part.end - part.first)
    return std::nullopt;
  return ranges_of({places_.begin() + part.first, places_.begin() + part.end});
}

std::optional<ActivationLayouts::Columns> ActivationLayouts::columns(
    const std::string& part, const std::vector<int64_t>& shape) const {
  if (size(tensor_ranks) == 1)
    return std::nullopt;
  if (shape.size() == 4) {  // heads
    const int64_t heads = shape[2], first = place(tensor_ranks) * heads;
    return Columns{heads * size(tensor_ranks), {{first, first + heads}}};
  }
  const auto weight = std::ranges::find(parameters_, part + ".weight", &Parameter::name);
  if (weight == parameters_.end() || part == "tok_embeddings")
    return std::nullopt;
  for (const Placement& placement : weight->layout.placements)
    if (const Shard* shard = std::get_if<Shard>(&placement.kind);
        shard != nullptr && placement.mesh_dimension == tensor_ranks && shard->dim == 0) {
      const int64_t held =
          std::accumulate(shard->ranges.begin(), shard->ranges.end(), int64_t{0},
                          [](int64_t sum, const IndexRange& range) { return sum + range.end - range.first; });
      if (held == shape.back())
        return Columns{weight->layout.global_shape.front(), shard->ranges};
    }
  return std::nullopt;  // gathered already
}

bool ActivationLayouts::is_term(trace::Phase phase, const std::string& part) const {
  if (size(tensor_ranks) == 1)
    return false;
  const bool is_shared = part.find(".shared_experts") != std::string::npos;
  if (phase == trace::Phase::forward)
    return has_suffix(part, "shared_experts") || (is_shared && has_suffix(part, "w2"));
  // Every rank has these whole, before its own columns or heads. So each rank computes a term of their
  // gradient.
  const bool is_whole_in_attention = has_suffix(part, "wq_a") || has_suffix(part, "wkv_a") ||
                                     has_suffix(part, "q_norm") || has_suffix(part, "kv_norm");
  return has_suffix(part, "router") || (part == "norm" && config_.parallel.sequence_parallel) ||
         (is_whole_in_attention && is_latent_);
}

int64_t ActivationLayouts::rows_of_piece() const {
  return rows_ / (config_.data.micro_batches * config_.parallel.pp_microbatches);
}

/// Returns the layout of [B, S, ...] whose rows and positions are this rank's.
/// \param over_tensor_ranks  what ranks along tp have of it
ActivationLayouts::Piece ActivationLayouts::laid_out(
    std::vector<int64_t> shape, int64_t first_row, const decltype(Placement::kind)& over_tensor_ranks) const {
  Piece piece;
  TensorLayout& layout = piece.layout;
  layout.global_shape = shape;
  layout.global_shape[0] = config_.data.global_batch;
  layout.global_shape[1] = config_.data.seq_len;
  for (const MeshDimension& dimension : mesh_.dimensions()) {
    if (dimension.size == 1 || dimension.name == "pp")
      continue;
    Placement placement = {dimension.name, place(dimension.name), dimension.size, Replicate{}};
    if (dimension.name == "dp_replicate" || dimension.name == "dp_shard")
      placement.kind = Shard{0, own_rows()};
    else if (dimension.name == "cp")
      placement.kind = Shard{1, ranges_of(places_)};
    else if (dimension.name == tensor_ranks)
      placement.kind = over_tensor_ranks;
    layout.placements.push_back(std::move(placement));
  }
  if (const int64_t rows = rows_of_piece(); rows < rows_) {
    const int64_t first = first_row_ + first_row;
    layout.placements.push_back({std::string(trace::micro_batch_dimension), first_row / rows, rows_ / rows,
                                 Shard{0, {{first, first + rows}}}});
  }
  piece.shape = std::move(shape);
  return piece;
}

ActivationLayouts::Piece ActivationLayouts::of_tokens(int64_t first_row, int64_t width) const {
  std::vector<int64_t> shape = {rows_of_piece(), static_cast<int64_t>(places_.size())};
  if (width > 0)
    shape.push_back(width);
  return laid_out(std::move(shape), first_row, Replicate{});
}

std::optional<ActivationLayouts::Piece> ActivationLayouts::of(trace::Phase phase, const std::string& part,
                                                              std::vector<int64_t> shape,
                                                              int64_t first_row) const {
  const int64_t rows = rows_of_piece();
  if (shape.size() == 2 && shape[0] % rows == 0)  // [B S, ...]
    shape = {rows, shape[0] / rows, shape[1]};
  // After gathering, keys and values have attention's order.
  const bool is_gathered = size("cp") > 1 && (has_suffix(part, "k") || has_suffix(part, "v"));
  if (shape.size() < 3 || shape[0] != rows || is_gathered || has_suffix(part, "experts"))
    return std::nullopt;
  const std::optional<std::vector<IndexRange>> own_positions = positions(shape[1]);
  if (!own_positions)
    return std::nullopt;
  const bool splits_sequence = shape[1] != static_cast<int64_t>(places_.size());
  const std::optional<Columns> own_columns = columns(part, shape);
  const size_t column_dim = shape.size() == 4 ? 2 : shape.size() - 1;
  decltype(Placement::kind) over_tensor_ranks = Replicate{};
  if (is_term(phase, part))
    over_tensor_ranks = Partial{};
  else if (own_columns)
    over_tensor_ranks = Shard{static_cast<int64_t>(column_dim), own_columns->own};
  else if (splits_sequence)
    over_tensor_ranks = Shard{1, *own_positions};
  Piece piece = laid_out(std::move(shape), first_row, over_tensor_ranks);
  if (own_columns)
    piece.layout.global_shape[column_dim] = own_columns->whole;
  return piece;
}

}  // namespace parity::reference
