// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <kainjow/mustache.hpp>

#include "reports/model/text.hpp"
#include "reports/model/verdicts.hpp"

/// Small pieces of pages.
namespace parity::reports {

using Data = kainjow::mustache::data;
using Template = kainjow::mustache::mustache;

inline constexpr size_t longest_name = 300;
inline constexpr size_t longest_text = 2000;

/// A parsed template. Missing names would be looked up in the level above, so each level renders alone.
inline Template parse(std::string_view text) {
  return Template{std::string(text)};
}

inline std::string name_of(const std::string& text) {
  return shorten(text, longest_name);
}

inline std::string text_of(const std::string& text) {
  return shorten(text, longest_text);
}

/// Returns a name as HTML that may break after separators but not inside words, for {{{...}}}.
inline std::string breakable(const std::string& name, size_t longest = longest_name) {
  std::string result;
  for (const char byte : kainjow::mustache::html_escape(shorten(name, longest))) {
    result += byte;
    if (byte == '/' || byte == '_' || byte == '.')
      result += "<wbr>";
  }
  return result;
}

/// Returns the text, or nothing, so that {{#key}} is skipped.
inline Data optional(const std::string& text) {
  return text.empty() ? Data{false} : Data{text};
}

/// Returns an element that scripts of the page read as JSON.
/// \param json  without "</script>", see script_json
inline std::string data_element(const std::string& id, const std::string& json) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + json + "</script>\n";
}

inline Data list() {
  return Data{Data::type::list};
}

inline Data pair(const char* first, const std::string& a, const char* second, const std::string& b) {
  Data result;
  result.set(first, a);
  result.set(second, b);
  return result;
}

inline void set_state(Data& data, bool passed) {
  data.set("state", passed ? "pass" : "fail");
  data.set("state_word", passed ? "passed" : "failed");
  data.set("mark", passed ? "✓" : "✗");
}

/// \param item  a Case or its CaseLine
template <class Item>
void set_state(Data& data, const Item& item) {
  set_state(data, item.passed);
  if (item.skipped.empty())
    return;
  data.set("state", "skipped");
  data.set("state_word", "skipped");
  data.set("mark", "–");
}

/// \param finding  a verdict, "trained" or "lawful"
inline void set_verdict(Data& data, const std::string& finding) {
  const VerdictLook* look = find_verdict(finding);
  data.set("verdict", finding);
  data.set("sign", look ? std::string(look->sign) : finding == "lawful" ? "§" : "↘");
}

}  // namespace parity::reports
