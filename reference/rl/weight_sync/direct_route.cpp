// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "harness/base/error.hpp"
#include "reference/rl/weight_sync/push_route.hpp"
#include "reference/rl/weight_sync/spread_tensors.hpp"
#include "reference/rl/weight_sync/together.hpp"

namespace parity::reference {
namespace {

/// Returns the elements of a block, as a view of the shard that holds it.
torch::Tensor view_of(const torch::Tensor& held, const PartCover& part, const Box& box) {
  torch::Tensor view = held.detach();
  const std::optional<Box> place = place_in(part, box);
  require(place.has_value(), "a piece outside its part");
  for (size_t dim = 0; dim < box.size(); ++dim)
    view = view.narrow(static_cast<int64_t>(dim), (*place)[dim].first, box[dim].end - box[dim].first);
  return view;
}

/// Number of elements that one rank exchanges with each other rank in a bucket.
using Counts = std::vector<int64_t>;

/// Cuts a flat buffer into the ranks' pieces, which are requested in any order of the ranks.
class Cursor {
 public:
  Cursor(torch::Tensor flat, const Counts& counts) : flat_(std::move(flat)), next_(counts.size()) {
    std::exclusive_scan(counts.begin(), counts.end(), next_.begin(), int64_t{0});
  }
  torch::Tensor next(int64_t rank, const torch::Tensor& like) {
    int64_t& at = next_[static_cast<size_t>(rank)];
    at += like.numel();
    return flat_.narrow(0, at - like.numel(), like.numel()).view(like.sizes());
  }

 private:
  torch::Tensor flat_;
  Counts next_;
};

class DirectRoute final : public PushRoute {
 public:
  DirectRoute(std::vector<SpreadTensor> tensors, OwnTensors trained, GroupPointer world, int64_t bucket_bytes)
      : tensors_(std::move(tensors)), trained_(std::move(trained)), world_(std::move(world)) {
    const std::vector<Piece> pieces = plan_pieces(tensors_, bucket_bytes);
    try {
      together(*world_, [&] { check_pieces(tensors_, pieces, rank()); });
    } catch (const RankFailed& failed) {
      throw InternalError(failed.what());
    }
    buckets_ = fill_buckets(tensors_, pieces, bucket_bytes);
    for (Bucket& bucket : buckets_) {
      dtypes_.push_back(scalar_type_of(bucket.dtype(tensors_)));
      std::erase_if(bucket.pieces,
                    [this](const Piece& piece) { return piece.from != rank() && piece.to != rank(); });
    }
  }

  void fill(const std::vector<torch::Tensor>& staged, const Progress& progress) override {
    const auto all = static_cast<int64_t>(buckets_.size());
    torch::Tensor sent, received;
    for (int64_t i = 0; i < all; ++i) {
      together(*world_, [&] {
        if (i > 0)
          unpack(i - 1, received, staged);
        progress(i, all);
        sent = pack(i, staged);
      });
      const Bucket& bucket = buckets_[static_cast<size_t>(i)];
      if (bucket.moves)
        received = world_->all_to_all(sent, counts(bucket, &Piece::to), counts(bucket, &Piece::from));
    }
    together(*world_, [&] {
      if (all > 0)
        unpack(all - 1, received, staged);
      progress(all, all);
    });
  }

 private:
  int64_t rank() const { return world_->rank(); }

  /// \param other  the member of a piece that names the other rank
  Counts counts(const Bucket& bucket, int64_t Piece::* other) const {
    Counts result(static_cast<size_t>(world_->size()));
    for (const Piece& piece : bucket.pieces)
      if (piece.*other != rank())
        result[static_cast<size_t>(piece.*other)] += elements_in(piece.box);
    return result;
  }

  torch::Tensor source(const Piece& piece) const {
    const auto& part = tensors_[piece.tensor].held[static_cast<size_t>(rank())];
    return view_of(trained_[piece.tensor].value, *part, piece.box);
  }
  torch::Tensor target(const Piece& piece, const std::vector<torch::Tensor>& staged) const {
    const auto& part = tensors_[piece.tensor].needed[static_cast<size_t>(rank())];
    return view_of(staged[piece.tensor], *part, piece.box);
  }

  /// Casts the pieces for other ranks into a buffer, in the order of the ranks. Copies the others into place.
  torch::Tensor pack(int64_t index, const std::vector<torch::Tensor>& staged) const {
    const Bucket& bucket = buckets_[static_cast<size_t>(index)];
    const Counts to = counts(bucket, &Piece::to);
    const torch::Tensor flat =
        torch::empty({std::accumulate(to.begin(), to.end(), int64_t{0})},
                     torch::dtype(dtypes_[static_cast<size_t>(index)]).device(world_->device().place));
    Cursor cursor(flat, to);
    for (const Piece& piece : bucket.pieces) {
      if (piece.from != rank())
        continue;
      const torch::Tensor block = source(piece);
      (piece.to == rank() ? target(piece, staged) : cursor.next(piece.to, block)).copy_(block);
    }
    return flat;
  }

  void unpack(int64_t index, const torch::Tensor& received, const std::vector<torch::Tensor>& staged) const {
    const Bucket& bucket = buckets_[static_cast<size_t>(index)];
    if (!bucket.moves)
      return;
    Cursor cursor(received, counts(bucket, &Piece::from));
    for (const Piece& piece : bucket.pieces)
      if (piece.from != rank()) {
        const torch::Tensor block = target(piece, staged);
        block.copy_(cursor.next(piece.from, block));
      }
  }

  std::vector<SpreadTensor> tensors_;
  OwnTensors trained_;
  GroupPointer world_;
  std::vector<Bucket> buckets_;  ///< with the pieces that begin or end here
  std::vector<torch::ScalarType> dtypes_;
};

}  // namespace

std::unique_ptr<PushRoute> make_direct_route(std::vector<SpreadTensor> tensors, OwnTensors trained,
                                             GroupPointer world, int64_t bucket_bytes) {
  return std::make_unique<DirectRoute>(std::move(tensors), std::move(trained), std::move(world),
                                       bucket_bytes);
}

}  // namespace parity::reference
