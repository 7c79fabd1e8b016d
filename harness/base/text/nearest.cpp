// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/nearest.hpp"

#include <algorithm>
#include <numeric>

#include "harness/base/text/escape_for_terminal.hpp"

namespace parity {
namespace {

/// Returns the Levenshtein distance, computed one row at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

/// Returns the known name that ends in `.name` or `/name`; "" if none or several do.
std::string whole_of_end(std::string_view name, const std::vector<std::string>& known) {
  std::string whole;
  for (const std::string& candidate : known)
    if (!name.empty() &&
        (candidate.ends_with("." + std::string(name)) || candidate.ends_with("/" + std::string(name)))) {
      if (!whole.empty())
        return "";
      whole = candidate;
    }
  return whole;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t longest = 256;  // a longer name is not a typo
  std::string best;
  if (name.size() > longest)
    return best;
  size_t best_distance = std::string::npos;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    const size_t allowed = std::max<size_t>(2, std::max(name.size(), candidate.size()) / 3);
    if (distance <= allowed && distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? whole_of_end(name, known) : best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t most = 12;
  std::string text;
  if (const std::string near = nearest(name, known); !near.empty())
    text += " (did you mean " + parity::quoted(near) + "?)";
  if (known.empty())
    return text;
  text += "; known: ";
  for (size_t i = 0; i < std::min(known.size(), most); ++i)
    text += (i ? ", " : "") + escape_to_line(known[i]);
  if (known.size() > most)
    text += " and " + std::to_string(known.size() - most) + " more";
  return text;
}

}  // namespace parity
