// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/by_values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "harness/measure/tensor/digest.hpp"

namespace parity::checkpoints {
namespace {

/// Dtype, shape, and a digest of the first elements: what equal tensors have in common.
using Key = std::tuple<std::string_view, Shape, measure::Digest>;

Key key_of(const StridedView& view, const StoredType& type) {
  constexpr int64_t most = 4096;
  measure::Digest digest;
  std::vector<std::byte> bytes;
  for_each_piece(view, view, most, [&](const StridedView& piece, const StridedView&) {
    bytes.resize(static_cast<size_t>(piece.size()) * size_of(piece.dtype));
    gather(piece, bytes.data());
    digest = measure::digest_of({piece.dtype, {piece.size()}, bytes.data()});
    return false;
  });
  return {type.name, view.shape, digest};
}

using Index = std::multimap<Key, const Item*>;

/// Returns the items whose bits are those of a view.
std::vector<const Item*> equal_items(const Index& index, const StridedView& view, const StoredType& type) {
  std::vector<const Item*> found;
  const auto [first, last] = index.equal_range(key_of(view, type));
  for (auto at = first; at != last; ++at)
    if (have_equal_bits({view, at->second->view}, view.dtype))
      found.push_back(at->second);
  return found;
}

template <class Items>
Index index_of(const Items& items) {
  Index index;
  for (const Item* item : items)
    index.emplace(key_of(item->view, item->type), item);
  return index;
}

std::optional<ValuePair> pair_of(const Item& item, const Index& actual, const Index& expected) {
  if (is_constant(item.view) || equal_items(expected, item.view, item.type).size() != 1)
    return {};
  if (const auto found = equal_items(actual, item.view, item.type); !found.empty()) {
    if (found.size() > 1)
      return {};
    return ValuePair{&item, found.front(), {RuleKind::as_is, "", {{item.view, found.front()->view}}}};
  }
  if (item.view.shape.size() != 2)
    return {};
  const StridedView turned = transpose(item.view);
  const auto found = equal_items(actual, turned, item.type);
  if (found.size() != 1)
    return {};
  return ValuePair{&item,
                   found.front(),
                   {RuleKind::transposed, "transposed", {{turned, found.front()->view}}, false, true}};
}

}  // namespace

std::vector<ValuePair> pairs_by_values(const std::vector<Item*>& expected, const std::vector<Item*>& actual) {
  std::vector<ValuePair> found;
  if (expected.empty() || actual.empty())
    return found;
  const Index of_actual = index_of(actual), of_expected = index_of(expected);
  std::map<const Item*, size_t> uses;
  for (const Item* item : expected)
    if (auto pair = pair_of(*item, of_actual, of_expected)) {
      ++uses[pair->actual];
      found.push_back(std::move(*pair));
    }
  std::erase_if(found, [&](const ValuePair& pair) { return uses[pair.actual] > 1; });
  return found;
}

namespace {

/// Returns the items of findings with this verdict on one side.
std::vector<const Item*> items_of(const std::vector<Finding>& findings, Verdict verdict, bool expected) {
  std::vector<const Item*> items;
  for (const Finding& finding : findings) {
    const std::vector<Item>& side = expected ? finding.expected : finding.actual;
    if (finding.verdict == verdict && side.size() == 1)
      items.push_back(&side.front());
  }
  return items;
}

void note_swaps(std::vector<Finding>& findings) {
  const Index index = index_of(items_of(findings, Verdict::different, false));
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::different || finding.expected.size() != 1 ||
        is_constant(finding.expected.front().view))
      continue;
    const Item& item = finding.expected.front();
    const auto found = equal_items(index, item.view, item.type);
    if (found.size() == 1 && found.front() != &finding.actual.front())
      finding.note = "its bits are those of " + found.front()->name + " on the other side";
  }
}

void note_candidates(std::vector<Finding>& findings) {
  const Index expected = index_of(items_of(findings, Verdict::one_sided, true));
  const Index actual = index_of(items_of(findings, Verdict::one_sided, false));
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::one_sided || !finding.note.empty())
      continue;
    const Item& item = (finding.expected.empty() ? finding.actual : finding.expected).front();
    const auto found = equal_items(finding.expected.empty() ? expected : actual, item.view, item.type);
    if (!found.empty() && is_constant(item.view))
      finding.note = "its elements are all the same, as those of " + found.front()->name +
                     " are, which proves nothing; --map pairs them";
    else if (!found.empty())
      finding.note = "its bits are those of " + found.front()->name +
                     ", but several tensors have them; --map pairs them";
  }
}

}  // namespace

void note_equal_bits(std::vector<Finding>& findings) {
  note_swaps(findings);
  note_candidates(findings);
}

}  // namespace parity::checkpoints
