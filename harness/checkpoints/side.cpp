// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/side.hpp"

#include <algorithm>

namespace parity::checkpoints {
namespace {

constexpr std::string_view experts = "experts.";

bool is_expert(const Role& role) {
  return role.known && role.name.starts_with(experts);
}

/// Returns whether one tensor holds all experts of a block.
bool is_stacked(const Item& item) {
  return is_expert(item.role) && item.role.indices.size() <= 1 && item.view.shape.size() == 3;
}

}  // namespace

Side::Side(const Checkpoint& checkpoint, const NameRules& renamed) {
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const std::optional<std::string> other = rename(name, renamed);
    const std::string match = other.value_or(name);
    add({name, match, other.has_value(), role_of(match), view_of(tensor), tensor.type});
    has_llama4_names_ |= name.find(".feed_forward.router.") != std::string::npos ||
                         name.find(".feed_forward.experts.gate_up_proj") != std::string::npos;
  }
}

void Side::add(Item item) {
  Item* added = &items_.emplace_back(std::move(item));
  by_name_[added->match] = added;
  by_role_[added->role.key()].push_back(added);
  if (added->role.known)
    parts_.emplace(added->role.part());
}

std::vector<Item*> Side::left() {
  std::vector<Item*> found;
  for (Item& item : items_)
    if (!taken_.contains(&item))
      found.push_back(&item);
  return found;
}

Item* Side::named(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() || taken_.contains(found->second) ? nullptr : found->second;
}

Item* Side::with_role(const Role& role) {
  const auto found = by_role_.find(role.key());
  if (found == by_role_.end())
    return nullptr;
  Item* only = nullptr;
  for (Item* item : found->second) {
    if (taken_.contains(item))
      continue;
    if (only != nullptr)
      return nullptr;
    only = item;
  }
  return only;
}

std::vector<Item*> Side::parts(const Role& whole, const std::array<std::string_view, 3>& parts) {
  std::vector<Item*> found;
  for (const std::string_view part : parts) {
    if (part.empty())
      continue;
    Role role = whole;
    role.name = std::string(part) + "." + std::string(whole.leaf());
    Item* item = with_role(role);
    if (item == nullptr)
      return {};
    found.push_back(item);
  }
  return found;
}

const Item* Side::embedding(const Role& output) const {
  Role role = output;
  role.name = "embedding.weight";
  const auto found = by_role_.find(role.key());
  return found == by_role_.end() || found->second.size() != 1 ? nullptr : found->second.front();
}

RowOrder Side::order_of(const Item& item) const {
  if (has_role("kv_a"))  // with latents every program stores pairs
    return RowOrder::none;
  if (item.role.order == RowOrder::pairs && has_role("q_norm"))  // Qwen3: torchtitan rotates halves too
    return RowOrder::halves;
  if (item.role.order == RowOrder::halves && has_llama4_names_)
    return RowOrder::pairs;
  return item.role.order;
}

bool Side::has_role(std::string_view part) const {
  return parts_.contains(part);
}

bool Side::has_single_experts() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Item& item) { return is_expert(item.role) && item.role.indices.size() == 2; });
}

bool Side::has_fused_experts() const {
  return has_role("experts.gate_up");
}

void Side::expand_experts() {
  for (Item* item : left()) {
    if (!is_stacked(*item))
      continue;
    for (int64_t i = 0; i < item->view.shape[0]; ++i) {
      Item one = *item;
      one.name += "[" + std::to_string(i) + "]";
      one.match = one.name;
      one.from_stack = true;
      one.role.indices.push_back(i);
      one.view = select(item->view, i);
      add(std::move(one));
    }
    take(*item);
  }
}

}  // namespace parity::checkpoints
