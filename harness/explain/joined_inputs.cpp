// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/explain/joined_inputs.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::explain {
namespace {

using trace::Phase;

/// The rows of a piece: all inputs of a group, row by row.
using Rows = std::vector<std::string>;

}  // namespace

int64_t take_number(std::string& name, std::string_view mark) {
  const size_t at = name.rfind(mark);
  if (at == std::string::npos || at == 0)
    return -1;
  const char *first = name.data() + at + mark.size(), *last = name.data() + name.size();
  int64_t number = -1;
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc() || end != last || number < 0)
    return -1;
  name.resize(at);
  return number;
}

namespace {

/// What the pieces of an input have in common.
struct Cut {
  std::vector<int64_t> rows;  ///< number of rows of each piece
  std::string row;            ///< dtype and shape of one
};

/// Returns how an input is cut; nothing if its pieces do not join along dimension 0.
std::optional<Cut> cut_of(const Inputs::mapped_type& pieces) {
  Cut cut;
  for (const auto& [place, row] : pieces) {
    if (row->shape.empty())
      return std::nullopt;
    const std::string own =
        fmt::format("{} {}", name_of(row->dtype), to_string(Shape(row->shape.begin() + 1, row->shape.end())));
    if (!cut.rows.empty() && cut.row != own)
      return std::nullopt;
    cut.row = own;
    cut.rows.push_back(row->shape.front());
  }
  return cut;
}

/// Inputs that are cut alike, and so are joined row by row.
using Groups = std::map<std::vector<int64_t>, std::set<std::string>>;

std::optional<Groups> groups_of(const Inputs& inputs, const std::set<std::string>& names) {
  Groups groups;
  for (const std::string& name : names) {
    const auto cut = cut_of(inputs.at(name));
    if (!cut)
      return std::nullopt;
    groups[cut->rows].insert(name);
  }
  return groups;
}

/// Appends the rows of a piece to those of the other inputs of its group. \return whether it has values
bool append_rows(const Recipe& recipe, const trace::SketchRow& row, Rows& rows) {
  if (!recipe.trace().has_tensor(row.key))
    return false;
  const TensorView view = recipe.trace().tensor(row.key);
  const auto bytes = view.raw();
  const size_t size = rows.empty() ? 0 : bytes.size() / rows.size();
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i].append(reinterpret_cast<const char*>(bytes.data()) + i * size, size);
  recipe.trace().release(bytes.data(), bytes.size());
  return true;
}

/// Returns the rows of each rank, of all its passes.
/// \param places  rank and pass of each piece
std::vector<Rows> join_passes(const std::vector<Rows>& pieces, const Inputs::mapped_type& places) {
  std::map<int64_t, Rows> ranks;
  size_t piece = 0;
  for (const auto& [place, row] : places) {
    const Rows& some = pieces[piece++];
    Rows& rows = ranks[place.first];
    rows.insert(rows.end(), some.begin(), some.end());
  }
  std::vector<Rows> result;
  for (auto& [rank, rows] : ranks) {
    std::ranges::sort(rows);
    result.push_back(std::move(rows));
  }
  return result;
}

/// Keeps one of equal pieces, if each has as many equals.
void drop_replicas(std::vector<Rows>& pieces) {
  std::map<Rows, int64_t> counts;
  for (const Rows& piece : pieces)
    ++counts[piece];
  const int64_t each = counts.begin()->second;
  if (each < 2 || !std::ranges::all_of(counts, [&](const auto& item) { return item.second == each; }))
    return;
  pieces.clear();
  for (const auto& [piece, count] : counts)
    pieces.push_back(piece);
}

std::string digest_of_rows(const std::vector<Rows>& pieces) {
  Rows all;
  for (const Rows& piece : pieces)
    all.insert(all.end(), piece.begin(), piece.end());
  std::ranges::sort(all);
  std::string bytes;
  for (const std::string& row : all)
    bytes += row;
  const measure::Digest digest =
      measure::digest_of({DType::uint8, {static_cast<int64_t>(bytes.size())}, bytes.data()});
  return fmt::format("{} rows {}", all.size(), measure::to_string(digest));
}

}  // namespace

std::map<int64_t, Inputs> inputs_of(const Recipe& recipe) {
  std::map<int64_t, Inputs> found;
  for (const trace::SketchRow& row : recipe.trace().sketches()) {
    std::string name = row.key.name;
    if (row.key.phase != Phase::input || row.key.step < 1 || name.starts_with("loaded/") ||
        name.starts_with("saved/") || name.find('@') != std::string::npos)
      continue;
    const int64_t pass = std::max<int64_t>(take_number(name, ".pass."), 0);
    const int64_t rank = recipe.trace().ranks() > 1 ? take_number(name, "#") : -1;
    found[row.key.step][name][{rank, pass}] = &row;
  }
  return found;
}

bool are_cut_alike(const Inputs& first, const Inputs& second, const std::set<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::equal(first.at(name), second.at(name), [](const auto& a, const auto& b) {
      return a.first == b.first && a.second->shape == b.second->shape;
    });
  });
}

std::string identity_of(const Inputs& inputs, const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    for (const auto& [place, row] : inputs.at(name))
      text += fmt::format("{}#{}.{}={} ", name, place.first, place.second, measure::to_string(row->digest));
  return text;
}

bool do_rows_join(const Inputs& first, const Inputs& second, const std::set<std::string>& names) {
  const auto groups = groups_of(first, names), others = groups_of(second, names);
  if (!groups || !others)
    return false;
  std::set<std::set<std::string>> together, other_together;
  for (const auto& [rows, members] : *groups)
    together.insert(members);
  for (const auto& [rows, members] : *others)
    other_together.insert(members);
  return together == other_together && std::ranges::all_of(names, [&](const std::string& name) {
           return cut_of(first.at(name))->row == cut_of(second.at(name))->row;
         });
}

std::optional<std::string> identity_of_rows(const Recipe& recipe, const Inputs& inputs,
                                            const std::set<std::string>& names) {
  const auto groups = groups_of(inputs, names);
  if (!groups)
    return std::nullopt;
  std::map<std::string, std::string> texts;  // by the first name of a group
  for (const auto& [counts, members] : *groups) {
    std::vector<Rows> rows;
    for (const int64_t count : counts)
      rows.emplace_back(static_cast<size_t>(count));
    for (const std::string& name : members) {
      size_t piece = 0;
      for (const auto& [place, row] : inputs.at(name))
        if (!append_rows(recipe, *row, rows[piece++]))
          return std::nullopt;
    }
    if (recipe.trace().ranks() > 1) {
      rows = join_passes(rows, inputs.at(*members.begin()));
      drop_replicas(rows);
    }
    texts[*members.begin()] = digest_of_rows(rows);
  }
  return fmt::format("{}", fmt::join(texts, "\n"));
}

}  // namespace parity::explain
