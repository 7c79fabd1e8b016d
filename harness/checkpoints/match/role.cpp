// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/role.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace parity::checkpoints {
namespace {

constexpr std::array<std::string_view, 10> wrappers = {
    "state_dict",           "model_state_dict", "model",          "module",   "_orig_mod",
    "_fsdp_wrapped_module", "transformer",      "language_model", "gpt_neox", "decoder"};
constexpr std::array<std::string_view, 4> block_lists = {"layers", "h", "blocks", "block"};
constexpr std::string_view state_prefix = "optimizer.state.";

template <size_t count>
bool contains(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  size_t from = 0;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', from)) {
    words.emplace_back(name.substr(from, dot - from));
    from = dot + 1;
  }
  words.emplace_back(name.substr(from));
  return words;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ".") + word;
  return text;
}

std::optional<int64_t> number_in(std::string_view word) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0)
    return {};
  return number;
}

/// Replaces numbers by "#" and collects them. Megatron's "weight3" is a number too.
void take_numbers(std::vector<std::string>& words, std::vector<int64_t>& indices) {
  for (std::string& word : words)
    if (const auto number = number_in(word)) {
      indices.push_back(*number);
      word = "#";
    }
  std::string& last = words.back();
  for (const std::string_view leaf : {"weight", "bias"})
    if (last.starts_with(leaf) && last.size() > leaf.size())
      if (const auto number = number_in(std::string_view(last).substr(leaf.size()))) {
        indices.push_back(*number);
        last = "#." + std::string(leaf);
      }
  for (const std::string_view leaf : {"_weight", "_bias"})  // Megatron: linear_qkv.layer_norm_weight
    if (last.starts_with("layer_norm") && last.ends_with(leaf))
      last = "layer_norm." + std::string(leaf.substr(1));
}

/// Removes wrappers from the front, and gives lists of blocks one name.
void strip(std::vector<std::string>& words) {
  while (words.size() > 1 && contains(wrappers, words.front()))
    words.erase(words.begin());
  if (words.size() > 2 && contains(block_lists, words[0]) && words[1] == "#")
    words.erase(words.begin());  // now "#" and the part
}

}  // namespace

std::string Role::key() const {
  std::string text = state + "|" + name;
  for (const int64_t index : indices)
    text += "|" + std::to_string(index);
  return text;
}

std::string_view Role::leaf() const {
  for (const std::string_view leaf : {"weight", "bias"})
    if (name.ends_with(std::string(".") + std::string(leaf)))
      return leaf;
  return "";
}

std::string_view Role::part() const {
  const std::string_view end = leaf();
  return std::string_view(name).substr(0, end.empty() ? name.size() : name.size() - end.size() - 1);
}

Role role_of(const std::string& name) {
  Role role;
  std::string_view rest = name;
  if (rest.starts_with(state_prefix)) {
    rest.remove_prefix(state_prefix.size());
    const size_t dot = rest.rfind('.');
    role.state = rest.substr(dot == std::string_view::npos ? 0 : dot + 1);
    rest = rest.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  std::vector<std::string> words = words_of(rest);
  take_numbers(words, role.indices);
  strip(words);
  role.name = join(words);
  const bool in_block = words.front() == "#";
  const std::string leaf(role.leaf());
  const std::string part = join({words.begin() + (in_block ? 1 : 0), words.end()});
  const RoleRow* row = find_role(
      std::string_view(part).substr(0, leaf.empty() ? part.size() : part.size() - leaf.size() - 1), in_block);
  if (row == nullptr)
    return role;
  role.name = std::string(row->role) + "." + (leaf.empty() ? "weight" : leaf);
  role.order = row->order;
  role.groups = row->groups;
  role.known = true;
  role.is_matrix = row->is_matrix;
  return role;
}

std::string pattern_of(const std::string& name) {
  std::vector<std::string> words = words_of(name);
  for (std::string& word : words) {
    const size_t bracket = word.ends_with(']') ? word.rfind('[') : std::string::npos;  // an expert of a stack
    if (number_in(word))
      word = "*";
    else if (bracket != std::string::npos)
      word.replace(bracket, std::string::npos, "[*]");
  }
  return join(words);
}

}  // namespace parity::checkpoints
