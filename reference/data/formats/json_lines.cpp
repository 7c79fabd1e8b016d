// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/json_lines.hpp"

#include <limits>
#include <sstream>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/data/data_file.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

/// Returns the names of an object's members, as a hint which of them to name.
std::string names_of(const Json& object) {
  std::string names;
  for (const auto& [name, value] : object.items())
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : escape_to_line(names, 300);
}

/// The member of one line that holds a document.
class DocumentLine {
 public:
  DocumentLine(const fs::path& path, int64_t number, const Json& line, const std::string& member)
      : place_(path.string() + ":" + std::to_string(number)), member_(member), value_(find(line)) {}

  void append_tokens(StoredTokens& stored) const {
    if (!value_.is_array())
      refuse("has no list of integers as \"" + member_ + "\"", "give its tokens");
    for (const Json& token : value_) {
      if (!token.is_number_integer() || (token.is_number_unsigned() && token.get<uint64_t>() > largest))
        refuse("has " + escape_to_line(json_text(token), 60) + " in \"" + member_ + "\", and no integer",
               "correct it");
      stored.tokens.push_back(token.get<int64_t>());
    }
    stored.ends.push_back(stored.tokens.size());
  }

  std::string text() const {
    if (!value_.is_string())
      refuse("has no text as \"" + member_ + "\"", "give its text");
    return value_.get<std::string>();
  }

 private:
  static constexpr uint64_t largest = std::numeric_limits<int64_t>::max();

  [[noreturn]] void refuse(const std::string& why, const std::string& hint) const {
    throw UserError("data.path: cannot read " + escape_to_line(place_) + " (it " + why + "); " + hint);
  }

  const Json& find(const Json& line) const {
    if (!line.is_object())
      refuse("is not a JSON object", "write an object a line, such as {\"" + member_ + "\": ...}");
    const auto found = line.find(member_);
    if (found == line.end())
      refuse("has no \"" + member_ + "\", only: " + names_of(line), "set data.column to one of these");
    return *found;
  }

  std::string place_;
  std::string member_;
  const Json& value_;
};

/// Calls a function with the document of each line.
template <class Reader>
void for_each_document(const fs::path& path, const std::string& member, const Reader& reader) {
  for_each_json_line(
      path, [&](int64_t number, const Json& line) { reader(DocumentLine(path, number, line, member)); });
}

}  // namespace

void for_each_json_line(const fs::path& path, const JsonLineReader& reader) {
  std::istringstream text(read_utf8_data(path));
  std::string line;
  for (int64_t number = 1; std::getline(text, line); ++number)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      reader(number, read_json(line));
}

StoredTokens read_json_lines_tokens(const fs::path& path, const std::string& member) {
  StoredTokens stored;
  for_each_document(path, member.empty() ? "tokens" : member,
                    [&](const DocumentLine& line) { line.append_tokens(stored); });
  return stored;
}

std::vector<std::string> read_json_lines_texts(const fs::path& path, const std::string& member) {
  std::vector<std::string> texts;
  for_each_document(path, member.empty() ? "text" : member,
                    [&](const DocumentLine& line) { texts.push_back(line.text()); });
  if (texts.empty())
    refuse_empty_data(path);
  return texts;
}

}  // namespace parity::reference
