// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/pieces.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/measure/tensor/measurement.hpp"
#include "harness/tensor/part.hpp"
#include "harness/trace/format/sketch_row.hpp"

namespace parity::trace {
namespace {

bool is_of_pieces(const Placement& placement) {
  return placement.mesh_dimension == micro_batch_dimension;
}

TensorLayout without_pieces(TensorLayout layout) {
  std::erase_if(layout.placements, is_of_pieces);
  return layout;
}

[[noreturn]] void refuse_pieces(const TensorKey& key, const std::string& why) {
  throw UserError(
      fmt::format("cannot join the pieces of {} at step {} ({}); offer the piece of each micro-batch once, "
                  "cut along dimension 0",
                  key.name, key.step, why));
}

}  // namespace

const Placement* micro_batch_of(const TensorLayout& layout) {
  const auto found = std::ranges::find_if(layout.placements, is_of_pieces);
  return found == layout.placements.end() ? nullptr : &*found;
}

std::optional<Pieces::Joined> Pieces::add(const TensorKey& key, int64_t order, const TensorView& piece,
                                          const TensorLayout& layout, bool keep) {
  const Placement* place = micro_batch_of(layout);
  require(place != nullptr, "a piece without a micro-batch");
  const Shard* shard = std::get_if<Shard>(&place->kind);
  if (shard == nullptr || shard->dim != 0)
    refuse_pieces(key, "a micro-batch must hold rows");
  Waiting& waiting = waiting_[key];
  const TensorLayout rest = without_pieces(layout);
  SketchRow row = sketch_row(key, order, piece.dtype, piece.shape, measure::measure_tensor(piece, layout));
  if (!waiting.row) {
    waiting.row = std::move(row);
    waiting.layout = rest;
    waiting.size = place->size;
  } else {
    if (waiting.layout != rest || waiting.size != place->size || waiting.row->dtype != piece.dtype ||
        waiting.come.contains(place->coordinate))
      refuse_pieces(key, "they differ in dtype or layout, or one was offered twice");
    waiting.row->order = std::min(waiting.row->order, order);
    add_part(*waiting.row, row);
  }
  const auto* bytes = static_cast<const std::byte*>(piece.data);
  waiting.come[place->coordinate] =
      keep ? std::vector(bytes, bytes + piece.bytes()) : std::vector<std::byte>();
  if (static_cast<int64_t>(waiting.come.size()) < waiting.size)
    return std::nullopt;
  Joined joined = {std::move(*waiting.row), std::move(waiting.layout), {}, {}};
  joined.shape = shape_of(cover_of(joined.layout));
  joined.row.shape = joined.shape;
  for (auto& [coordinate, part] : waiting.come)
    joined.bytes.insert(joined.bytes.end(), part.begin(), part.end());
  waiting_.erase(key);
  const TensorView whole = {joined.row.dtype, joined.shape, joined.bytes.data()};
  if (keep && whole.bytes() != joined.bytes.size())
    refuse_pieces(key, "their total size is not that of the rank's tensor");
  return joined;
}

}  // namespace parity::trace
