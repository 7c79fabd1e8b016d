// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/renaming.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::checkpoints {
namespace {

/// Most numbers of a name that are read as such. Later ones stay words.
constexpr size_t most_numbers = 8;

constexpr std::string_view remedy = "; if they belong together, --map pairs them";

using Numbers = std::vector<int64_t>;

/// A name, split at dots and digits: "layers.3.mlp.w1" has the words "layers", "*", "mlp", "w*".
struct SplitName {
  std::set<std::string> words;  ///< with "*" for digits
  Numbers numbers;
  std::vector<std::string> lists;  ///< for each number, the name up to it: "layers.*", "layers.*.mlp.w*"

  explicit SplitName(std::string_view name) {
    std::string word, path;
    while (!name.empty()) {
      const bool ends_word = name.front() == '.' || name.front() == '[';
      if (ends_word)
        words.insert(std::exchange(word, ""));
      if (const auto number = numbers.size() < most_numbers ? take_number(name) : std::nullopt) {
        word += '*';
        path += '*';
        numbers.push_back(*number);
        lists.push_back(path);
        continue;
      }
      if (!ends_word)
        word += name.front();
      path += name.front();
      name.remove_prefix(1);
    }
    words.insert(word);
  }

 private:
  /// Removes the digits that a text begins with. Returns nothing without digits, or with too many of them.
  static std::optional<int64_t> take_number(std::string_view& text) {
    int64_t number = 0;
    if (std::isdigit(static_cast<unsigned char>(text.front())) == 0)
      return {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
      return {};
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
  }
};

/// A pair that was found by its values.
struct NamedPair {
  Finding* finding = nullptr;
  SplitName expected, actual;
};

void be_different(Finding& finding, const std::string& why) {
  finding.verdict = Verdict::different;
  finding.note = "equal bits, but " + why + std::string(remedy);
}

/// The numbers of a pair in a list of each side.
struct Link {
  Numbers expected, actual;
  Finding* finding = nullptr;
};

/// Returns whether a later number of the expected side always has a later one of the actual side.
bool keep_order(std::vector<Link> links) {
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tie(a.expected, a.actual) < std::tie(b.expected, b.actual);
  });
  const Numbers* before = nullptr;  // the last number of the actual side before this one of the expected side
  for (size_t i = 0; i < links.size(); ++i) {
    if (i > 0 && links[i].expected != links[i - 1].expected)
      before = &links[i - 1].actual;  // the largest, since the order was kept so far
    if (before != nullptr && !(*before < links[i].actual))
      return false;
  }
  return true;
}

std::vector<Link> reversed(std::vector<Link> links) {
  for (Link& link : links)
    std::swap(link.expected, link.actual);
  return links;
}

std::map<Numbers, size_t> ranks_of(const std::vector<Link>& links, Numbers Link::* side) {
  std::map<Numbers, size_t> ranks;
  for (const Link& link : links)
    ranks[link.*side];
  size_t rank = 0;
  for (auto& [numbers, place] : ranks)
    place = rank++;
  return ranks;
}

/// A list of one side may have several tensors for one number of the other side's, such as the layers of a
/// stage.
void review_list(const std::vector<Link>& links) {
  if (keep_order(links) || keep_order(reversed(links)))
    return;
  const auto expected = ranks_of(links, &Link::expected), actual = ranks_of(links, &Link::actual);
  for (const Link& link : links)
    if (expected.size() != actual.size() || expected.at(link.expected) != actual.at(link.actual))
      be_different(*link.finding, "the numbers of such pairs are not in one order");
}

void review_numbers(const std::vector<NamedPair>& pairs) {
  std::map<std::pair<std::string, std::string>, std::vector<Link>> lists;
  for (const NamedPair& pair : pairs) {
    const Numbers &e = pair.expected.numbers, &a = pair.actual.numbers;
    for (size_t depth = 1; depth <= std::max(e.size(), a.size()) && !e.empty() && !a.empty(); ++depth) {
      const size_t of_e = std::min(depth, e.size()), of_a = std::min(depth, a.size());
      const auto end_e = e.begin() + static_cast<std::ptrdiff_t>(of_e);
      const auto end_a = a.begin() + static_cast<std::ptrdiff_t>(of_a);
      lists[{pair.expected.lists[of_e - 1], pair.actual.lists[of_a - 1]}].push_back(
          {{e.begin(), end_e}, {a.begin(), end_a}, pair.finding});
    }
  }
  for (const auto& [names, links] : lists)
    review_list(links);
}

/// Arrows from a word to the renamings that replace it, and from those to the words that they bring.
class Replacements {
 public:
  void add(const SplitName& expected, const SplitName& actual) {
    const size_t renaming = add_node("");
    for (const std::string& word : difference(expected.words, actual.words))
      add_arrow(word_node(word), renaming);
    for (const std::string& word : difference(actual.words, expected.words))
      add_arrow(renaming, word_node(word));
  }

  /// Returns the words that are replaced in a circle: "key" by "query" and "query" by "key".
  std::vector<std::string> circle() const {
    const std::vector<bool> left = on_or_after_circle(arrows_), right = on_or_after_circle(turned(arrows_));
    std::vector<std::string> words;
    for (size_t node = 0; node < words_.size(); ++node)
      if (left[node] && right[node] && !words_[node].empty())
        words.push_back(words_[node]);
    std::sort(words.begin(), words.end());
    return words;
  }

 private:
  using Arrows = std::vector<std::vector<size_t>>;

  static std::vector<std::string> difference(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::vector<std::string> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    return only;
  }

  void add_arrow(size_t from, size_t to) { arrows_[from].push_back(to); }

  size_t add_node(const std::string& word) {
    words_.push_back(word);
    arrows_.emplace_back();
    return words_.size() - 1;
  }

  size_t word_node(const std::string& word) {
    const auto found = nodes_.find(word);
    return found != nodes_.end() ? found->second : nodes_[word] = add_node(word);
  }

  static Arrows turned(const Arrows& arrows) {
    Arrows result(arrows.size());
    for (size_t from = 0; from < arrows.size(); ++from)
      for (const size_t to : arrows[from])
        result[to].push_back(from);
    return result;
  }

  /// Removes nodes that no arrow reaches until each that is left has one. Returns which are left.
  static std::vector<bool> on_or_after_circle(const Arrows& arrows) {
    std::vector<size_t> reached(arrows.size()), ready;
    for (const std::vector<size_t>& targets : arrows)
      for (const size_t to : targets)
        ++reached[to];
    std::vector<bool> left(arrows.size(), true);
    for (size_t node = 0; node < arrows.size(); ++node)
      if (reached[node] == 0)
        ready.push_back(node);
    while (!ready.empty()) {
      const size_t node = ready.back();
      ready.pop_back();
      left[node] = false;
      for (const size_t to : arrows[node])
        if (--reached[to] == 0)
          ready.push_back(to);
    }
    return left;
  }

  std::vector<std::string> words_;  ///< of each node; "" for a renaming
  std::map<std::string, size_t> nodes_;
  Arrows arrows_;
};

void review_words(const std::vector<NamedPair>& pairs) {
  Replacements replacements;
  for (const NamedPair& pair : pairs)
    replacements.add(pair.expected, pair.actual);
  const std::vector<std::string> circle = replacements.circle();
  if (circle.empty())
    return;
  const std::set<std::string> among(circle.begin(), circle.end());
  const auto takes_part = [&](const SplitName& name, const SplitName& other) {
    return std::any_of(name.words.begin(), name.words.end(), [&](const std::string& word) {
      return among.contains(word) && !other.words.contains(word);
    });
  };
  for (const NamedPair& pair : pairs)
    if (takes_part(pair.expected, pair.actual) && takes_part(pair.actual, pair.expected))
      be_different(*pair.finding,
                   fmt::format("words of such names change places: {}", fmt::join(circle, ", ")));
}

}  // namespace

void review_renaming(std::vector<Finding>& findings) {
  std::vector<NamedPair> pairs;
  for (Finding& finding : findings)
    if (finding.by_values && finding.agrees())
      pairs.push_back(
          {&finding, SplitName(finding.expected.front().name), SplitName(finding.actual.front().name)});
  review_numbers(pairs);
  review_words(pairs);
}

}  // namespace parity::checkpoints
