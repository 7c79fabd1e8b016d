// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checkpoints/files/checkpoint.hpp"
#include "harness/checkpoints/match/name_rules.hpp"
#include "harness/checkpoints/match/rule.hpp"

namespace parity::checkpoints {

/// The tensors of a checkpoint, and those of them that are not yet paired. Pointers to items stay valid.
class Side {
 public:
  /// \param renamed  rules that give the tensors the names of the other side
  explicit Side(const Checkpoint& checkpoint, const NameRules& renamed = {});

  /// Returns the items that are left, in the order of the file's names.
  std::vector<Item*> left();
  /// Returns an item that is left, by the name to match; null if there is none.
  Item* named(const std::string& name);
  /// Returns the only item that is left with a role; null if there is none, or several.
  Item* with_role(const Role& role);
  /// Returns items that are left with these parts and the place, leaf and state of a role; empty unless all
  /// are there.
  std::vector<Item*> parts(const Role& whole, const std::array<std::string_view, 3>& parts);
  /// Returns the embedding that an output projection may repeat, also if it is paired; null if there is none.
  const Item* embedding(const Role& output) const;
  void take(const Item& item) { taken_.insert(&item); }

  /// Returns the order of rows that an item's name stands for, in the model that this side's names show.
  RowOrder order_of(const Item& item) const;

  bool has_single_experts() const;
  bool has_fused_experts() const;
  /// Replaces each stacked tensor of experts that is left by one item for each expert.
  void expand_experts();

 private:
  void add(Item item);
  bool has_role(std::string_view part) const;

  std::deque<Item> items_;
  std::set<const Item*> taken_;
  std::map<std::string, Item*> by_name_;
  std::map<std::string, std::vector<Item*>> by_role_;
  std::set<std::string, std::less<>> parts_;  ///< of all roles
  bool has_llama4_names_ = false;
};

}  // namespace parity::checkpoints
