// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search/delta_debugging.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "harness/base/error.hpp"

namespace parity::bisect {
namespace {

using Indices = std::vector<size_t>;

Toggles set_of(const Indices& part) {
  return {part.begin(), part.end()};
}

/// Splits a list into `count` subsets whose sizes differ by at most one.
std::vector<Indices> split_evenly(const Indices& whole, size_t count) {
  std::vector<Indices> parts;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(whole.size() * i / count);
    const auto end = static_cast<std::ptrdiff_t>(whole.size() * (i + 1) / count);
    parts.emplace_back(whole.begin() + begin, whole.begin() + end);
  }
  return parts;
}

Indices rest_of(const Indices& whole, const Indices& part) {
  Indices rest;
  std::ranges::copy_if(whole, std::back_inserter(rest),
                       [&](size_t x) { return std::ranges::find(part, x) == part.end(); });
  return rest;
}

/// Returns the first subset that is like the bad side.
std::optional<Indices> first_bad(const std::vector<Indices>& parts, const Ask& ask) {
  for (const Indices& part : parts)
    if (ask(set_of(part), Reach::diverging_step) == Likeness::bad)
      return part;
  return std::nullopt;
}

}  // namespace

Likeness MemoisedAsk::operator()(const Toggles& on, Reach reach) {
  if (const auto whole = answers_.find({on, Reach::whole_run}); whole != answers_.end())
    return whole->second;
  if (const auto found = answers_.find({on, reach}); found != answers_.end())
    return found->second;
  ++asked_;
  const Likeness answer = ask_(on, reach);
  answers_[{on, reach}] = answer;
  return answer;
}

Likeness MemoisedAsk::known(const Toggles& on) const {
  for (const Reach reach : {Reach::whole_run, Reach::diverging_step})
    if (const auto found = answers_.find({on, reach}); found != answers_.end())
      return found->second;
  return Likeness::unknown;
}

int64_t bisection_bound(size_t n) {
  return n <= 1 ? 0 : std::bit_width(n - 1);
}

Toggles bisect_toggles(const std::vector<size_t>& order, const Ask& ask) {
  require(!order.empty(), "nothing to bisect");
  Toggles found;
  size_t size = order.size();  // of the shortest prefix known to be bad together with `found`
  while (size > 0) {
    size_t not_bad = 0, bad = size;
    while (bad - not_bad > 1) {
      const size_t middle = not_bad + (bad - not_bad) / 2;
      Toggles on = found;
      on.insert(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(middle));
      (ask(on, Reach::diverging_step) == Likeness::bad ? bad : not_bad) = middle;
    }
    found.insert(order[bad - 1]);
    size = bad - 1;
    if (size > 0 && ask(found, Reach::whole_run) == Likeness::bad)
      break;
  }
  return found;
}

Toggles ddmin(const Toggles& start, const Ask& ask) {
  Indices current(start.begin(), start.end());
  size_t count = 2;
  while (current.size() >= 2) {
    count = std::min(count, current.size());
    const std::vector<Indices> parts = split_evenly(current, count);
    std::vector<Indices> rests;
    for (const Indices& part : parts)
      rests.push_back(rest_of(current, part));
    if (const auto part = first_bad(parts, ask)) {
      current = *part;
      count = 2;
    } else if (const auto rest = count > 2 ? first_bad(rests, ask) : std::nullopt) {
      current = *rest;
      count = std::max<size_t>(count - 1, 2);
    } else if (count == current.size()) {
      break;
    } else {
      count *= 2;
    }
  }
  return set_of(current);
}

Toggles minimal_toggles(const std::vector<size_t>& order, const Ask& ask) {
  return ddmin(bisect_toggles(order, ask), ask);
}

}  // namespace parity::bisect
