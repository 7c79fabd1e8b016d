// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/weight_sync/transfer_plan.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using Ranks = std::vector<bool>;  ///< whether each rank is meant

/// Indices of one dimension between two cuts, and the ranks that hold all of them.
struct Segment {
  IndexRange range;
  Ranks held, needed;
};

bool contains(const std::vector<IndexRange>& ranges, const IndexRange& inner) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const IndexRange& range) {
    return range.first <= inner.first && inner.end <= range.end;
  });
}

Ranks holders_of_range(const std::vector<std::optional<PartCover>>& parts, size_t dim,
                       const IndexRange& range) {
  Ranks ranks;
  for (const std::optional<PartCover>& part : parts)
    ranks.push_back(part && contains(part->ranges[dim], range));
  return ranks;
}

std::vector<Segment> segments_of(const SpreadTensor& tensor, size_t dim) {
  std::set<int64_t> cuts = {0, tensor.shape[dim]};
  for (const auto* parts : {&tensor.held, &tensor.needed})
    for (const std::optional<PartCover>& part : *parts)
      if (part)
        for (const IndexRange& range : part->ranges[dim])
          cuts.insert({range.first, range.end});
  std::vector<Segment> segments;
  for (auto end = std::next(cuts.begin()); end != cuts.end(); ++end) {
    const IndexRange range{*std::prev(end), *end};
    segments.push_back(
        {range, holders_of_range(tensor.held, dim, range), holders_of_range(tensor.needed, dim, range)});
  }
  return segments;
}

Ranks both(const Ranks& a, const Ranks& b) {
  Ranks result(a.size());
  for (size_t rank = 0; rank < a.size(); ++rank)
    result[rank] = a[rank] && b[rank];
  return result;
}

Ranks present(const std::vector<std::optional<PartCover>>& parts) {
  Ranks ranks;
  for (const std::optional<PartCover>& part : parts)
    ranks.push_back(part.has_value());
  return ranks;
}

bool any_of(const Ranks& ranks) {
  return std::find(ranks.begin(), ranks.end(), true) != ranks.end();
}

using TakeBlock = std::function<void(const Box& box, const Ranks& held, const Ranks& needed)>;

/// Visits each block between the cuts that some rank needs, row by row.
void visit_blocks(const std::vector<std::vector<Segment>>& dims, Box& box, const Ranks& held,
                  const Ranks& needed, const TakeBlock& take) {
  if (!any_of(needed))
    return;
  if (box.size() == dims.size()) {
    take(box, held, needed);
    return;
  }
  for (const Segment& segment : dims[box.size()]) {
    box.push_back(segment.range);
    visit_blocks(dims, box, both(held, segment.held), both(needed, segment.needed), take);
    box.pop_back();
  }
}

/// Splits a block along its outermost dimensions, as far as necessary.
void split(const Box& box, int64_t most_elements, const std::function<void(const Box&)>& take) {
  const int64_t count = elements_in(box);
  const auto longer = std::find_if(box.begin(), box.end(),
                                   [](const IndexRange& range) { return range.end - range.first > 1; });
  if (count <= most_elements || longer == box.end()) {
    take(box);
    return;
  }
  const auto [first, end] = *longer;
  const int64_t step = std::max<int64_t>(1, most_elements / (count / (end - first)));
  for (int64_t at = first; at < end; at += step) {
    Box part = box;
    part[static_cast<size_t>(longer - box.begin())] = {at, std::min(end, at + step)};
    split(part, most_elements, take);
  }
}

std::string text_of(const Box& box) {
  std::string text;
  for (const IndexRange& range : box)
    text += (text.empty() ? "" : ", ") + std::to_string(range.first) + ":" + std::to_string(range.end);
  return "[" + text + "]";
}

/// Gives each block to the ranks that need it.
class Planner {
 public:
  Planner(const std::vector<SpreadTensor>& tensors, int64_t most_bytes)
      : tensors_(tensors), most_bytes_(most_bytes) {}

  std::vector<Piece> plan() {
    for (size_t tensor = 0; tensor < tensors_.size(); ++tensor)
      plan(tensor);
    return std::move(pieces_);
  }

 private:
  void plan(size_t index) {
    const SpreadTensor& tensor = tensors_[index];
    given_.resize(tensor.held.size());
    std::vector<std::vector<Segment>> dims;
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
      dims.push_back(segments_of(tensor, dim));
    Box box;
    visit_blocks(
        dims, box, present(tensor.held), present(tensor.needed),
        [&](const Box& block, const Ranks& held, const Ranks& needed) {
          if (!any_of(held))
            throw UserError(
                "no rank trains " + text_of(block) + " of " + tensor.name +
                ", which is served (the trained shards leave a gap); train every part of each parameter");
          for (size_t rank = 0; rank < needed.size(); ++rank)
            if (needed[rank])
              give(index, block, held, static_cast<int64_t>(rank));
        });
  }

  void give(size_t index, const Box& block, const Ranks& held, int64_t to) {
    const auto bytes = static_cast<int64_t>(size_of(tensors_[index].moved_dtype));
    split(block, std::max<int64_t>(1, most_bytes_ / bytes), [&](const Box& part) {
      const int64_t from = held[static_cast<size_t>(to)] ? to : least_busy(held);
      if (from != to)
        given_[static_cast<size_t>(from)] += bytes * elements_in(part);
      pieces_.push_back({index, from, to, part});
    });
  }

  int64_t least_busy(const Ranks& held) const {
    size_t best = held.size();
    for (size_t rank = 0; rank < held.size(); ++rank)
      if (held[rank] && (best == held.size() || given_[rank] < given_[best]))
        best = rank;
    return static_cast<int64_t>(best);
  }

  const std::vector<SpreadTensor>& tensors_;
  int64_t most_bytes_;
  std::vector<int64_t> given_;  ///< bytes to others so far, by each rank
  std::vector<Piece> pieces_;
};

bool overlaps(const Box& a, const Box& b) {
  for (size_t dim = 0; dim < a.size(); ++dim)
    if (std::max(a[dim].first, b[dim].first) >= std::min(a[dim].end, b[dim].end))
      return false;
  return true;
}

/// Checks the pieces of one tensor that one rank receives.
void check_tensor(const SpreadTensor& tensor, const std::vector<const Piece*>& pieces, int64_t rank) {
  const auto describe_piece = [&](const Piece& piece) {
    return text_of(piece.box) + " of " + tensor.name + " from rank " + std::to_string(piece.from) +
           " to rank " + std::to_string(rank);
  };
  const std::optional<PartCover>& needed = tensor.needed.at(static_cast<size_t>(rank));
  int64_t covered = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = *pieces[i];
    const std::optional<PartCover>& held = tensor.held.at(static_cast<size_t>(piece.from));
    require(held && place_in(*held, piece.box), describe_piece(piece) + ", which does not hold it");
    require(needed && place_in(*needed, piece.box), describe_piece(piece) + ", which does not need it");
    for (size_t other = 0; other < i; ++other)
      require(
          !overlaps(piece.box, pieces[other]->box),
          describe_piece(piece) + ", which gets some of it from rank " + std::to_string(pieces[other]->from));
    covered += elements_in(piece.box);
  }
  const int64_t all = needed ? element_count(shape_of(*needed)) : 0;
  require(covered == all, "rank " + std::to_string(rank) + " gets " + std::to_string(covered) + " of " +
                              std::to_string(all) + " elements of " + tensor.name);
}

}  // namespace

int64_t elements_in(const Box& box) {
  int64_t count = 1;
  for (const IndexRange& range : box)
    count *= range.end - range.first;
  return count;
}

std::optional<Box> place_in(const PartCover& part, const Box& box) {
  Box place;
  for (size_t dim = 0; dim < box.size(); ++dim) {
    int64_t passed = 0;
    for (const IndexRange& range : part.ranges.at(dim)) {
      if (range.first <= box[dim].first && box[dim].end <= range.end) {
        const int64_t shift = passed - range.first;
        place.push_back({box[dim].first + shift, box[dim].end + shift});
        break;
      }
      passed += range.end - range.first;
    }
    if (place.size() == dim)
      return std::nullopt;
  }
  return place;
}

std::vector<Piece> plan_pieces(const std::vector<SpreadTensor>& tensors, int64_t most_bytes) {
  return Planner(tensors, most_bytes).plan();
}

void check_pieces(const std::vector<SpreadTensor>& tensors, const std::vector<Piece>& pieces, int64_t rank) {
  std::vector<std::vector<const Piece*>> coming(tensors.size());
  for (const Piece& piece : pieces)
    if (piece.to == rank)
      coming.at(piece.tensor).push_back(&piece);
  for (size_t tensor = 0; tensor < tensors.size(); ++tensor)
    check_tensor(tensors[tensor], coming[tensor], rank);
}

std::vector<Bucket> fill_buckets(const std::vector<SpreadTensor>& tensors, const std::vector<Piece>& pieces,
                                 int64_t most_bytes) {
  std::vector<Bucket> buckets;
  std::vector<int64_t> given, got;
  for (const Piece& piece : pieces) {
    const DType dtype = tensors[piece.tensor].moved_dtype;
    const int64_t bytes =
        piece.from == piece.to ? 0 : elements_in(piece.box) * static_cast<int64_t>(size_of(dtype));
    const auto from = static_cast<size_t>(piece.from), to = static_cast<size_t>(piece.to);
    if (buckets.empty() || buckets.back().dtype(tensors) != dtype || given[from] + bytes > most_bytes ||
        got[to] + bytes > most_bytes) {
      buckets.emplace_back();
      given.assign(tensors[piece.tensor].held.size(), 0);
      got = given;
    }
    buckets.back().pieces.push_back(piece);
    buckets.back().moves |= bytes > 0;
    given[from] += bytes;
    got[to] += bytes;
  }
  return buckets;
}

}  // namespace parity::reference
