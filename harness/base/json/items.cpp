// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/items.hpp"

#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {

using Bytes = std::array<bool, 256>;

constexpr Bytes bytes_in(std::string_view text) {
  Bytes bytes = {};
  for (const char byte : text)
    bytes[static_cast<unsigned char>(byte)] = true;
  return bytes;
}

constexpr Bytes ends_text = bytes_in("\"\\");
constexpr Bytes ends_plain = bytes_in("\"[]{}");

/// Scans JSON text byte by byte for strings and brackets. Whether the pieces are valid JSON is found when
/// they are parsed.
class ItemFinder {
 public:
  /// \param key  of the list; "": the text is the list
  explicit ItemFinder(const std::string& key)
      : wanted_(key.empty() ? "" : '"' + key + '"'), list_depth_(key.empty() ? 1 : 2) {}

  void read(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t end = next_of_interest(text, i);
      at_ += end - i;
      i = end;
      if (i < text.size())
        read(text[i]);
    }
  }

  void read(char byte) {
    const bool inside = in_list_;
    step(byte);
    if (!inside || !in_list_)
      rest_ += byte;
    ++at_;
  }

  struct Span {
    uint64_t begin, end;
  };
  const std::vector<Span>& items() const { return items_; }
  const std::string& rest() const { return rest_; }

 private:
  /// Returns the first position from `begin` on whose byte may change the state. Inside an item these are the
  /// quotes and, in a string, backslashes, outside of one, brackets.
  size_t next_of_interest(std::string_view text, size_t begin) const {
    if (!in_list_ || depth_ <= list_depth_ || escaped_)
      return begin;
    const auto& wanted = in_string_ ? ends_text : ends_plain;
    while (begin < text.size() && !wanted[static_cast<unsigned char>(text[begin])])
      ++begin;
    return begin;
  }

  void step(char byte) {
    if (in_string_) {
      if (depth_ == 1)
        string_ += byte;
      in_string_ = escaped_ || byte != '"';
      escaped_ = !escaped_ && byte == '\\';
    } else if (byte == '"') {
      in_string_ = true;
      filled_ = true;
      string_ = byte;
    } else if (byte == '[' || byte == '{') {
      open(byte);
    } else if (byte == ']' || byte == '}') {
      close();
    } else if (byte == ',' && in_list_ && depth_ == list_depth_) {
      end_item();
      separated_ = true;
    } else if (byte == ':' && depth_ == 1) {
      key_ = string_;
    } else if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r') {
      filled_ = true;
    }
  }

  void open(char byte) {
    if (++depth_ > deepest_json)
      throw UserError(fmt::format("it nests more than {} levels deep", deepest_json));
    filled_ = true;
    if (byte != '[' || depth_ != list_depth_ || key_ != wanted_)
      return;
    in_list_ = true;
    filled_ = separated_ = false;
    begin_ = at_ + 1;
  }

  void close() {
    if (in_list_ && depth_ == list_depth_) {
      if (filled_ || separated_)  // text after a last comma is an invalid item
        end_item();
      in_list_ = false;
      key_.clear();
    }
    depth_ -= depth_ > 0 ? 1 : 0;
  }

  void end_item() {
    items_.push_back({begin_, at_});
    begin_ = at_ + 1;
    filled_ = false;
  }

  std::string wanted_;
  size_t list_depth_;
  /// string_ and key_ are those of the top level, as written.
  std::string rest_, string_, key_;
  std::vector<Span> items_;
  uint64_t at_ = 0, begin_ = 0;
  size_t depth_ = 0;
  bool in_string_ = false, escaped_ = false, in_list_ = false;
  /// Whether the item has begun, and whether a comma precedes it.
  bool filled_ = false, separated_ = false;
};

}  // namespace

JsonItems::JsonItems(std::unique_ptr<std::istream> text, const std::string& key) : text_(std::move(text)) {
  ItemFinder finder(key);
  std::vector<char> block(1 << 16);
  while (text_->read(block.data(), static_cast<std::streamsize>(block.size())) || text_->gcount() > 0)
    finder.read(std::string_view(block.data(), static_cast<size_t>(text_->gcount())));
  if (text_->bad())
    throw UserError("it could not be read to its end");
  rest_ = parse_json(finder.rest());
  if (!key.empty() && rest_.is_object() && rest_.contains(key) && rest_[key].is_array() &&
      !rest_[key].empty())
    throw UserError(fmt::format("its key '{}' is written with escape sequences, expected plain text", key));
  for (const auto& [begin, end] : finder.items())
    spans_.push_back({static_cast<std::streamoff>(begin), end - begin});
}

std::string JsonItems::text(size_t number) const {
  const Span& span = spans_.at(number);
  std::string text(span.length, '\0');
  text_->clear();
  text_->seekg(span.begin);
  text_->read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(text_->gcount()));  // shorter if the file was truncated since
  return text;
}

Json JsonItems::item(size_t number) const {
  return parse_json(text(number));
}

namespace {
constexpr int members_of_listed = 3;  ///< brackets that are open: of the item, of its list, of the object
}

Json JsonItems::item_without(size_t number, const std::set<std::string, std::less<>>& members) const {
  return Json::parse(text(number), [&](int depth, Json::parse_event_t event, const Json& parsed) {
    return event != Json::parse_event_t::key || depth != members_of_listed ||
           !members.contains(parsed.get_ref<const std::string&>());
  });
}

}  // namespace parity
