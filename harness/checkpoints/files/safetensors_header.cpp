// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/safetensors_header.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/files/unique_json.hpp"

namespace parity::checkpoints {
namespace {

constexpr std::string_view metadata_key = "__metadata__";

/// A header, and errors about it.
class Reader {
 public:
  Reader(uint64_t data_bytes, const std::string& file) : data_bytes_(data_bytes), file_(file) {}

  SafetensorsHeader read(std::string_view text) const {
    if (!text.starts_with('{') || text.find('\0') != std::string_view::npos)
      refuse("its header is not a JSON object");
    const Json json = read_unique_json(text, file_);
    if (!json.is_object())
      refuse("its header is not a JSON object");
    SafetensorsHeader header;
    for (const auto& [name, value] : json.items()) {
      if (name == metadata_key)
        header.metadata = metadata_of(value);
      else
        header.tensors.push_back(entry_of(name, value));
    }
    // An empty tensor is at the place where the next one begins.
    std::sort(header.tensors.begin(), header.tensors.end(), [](const HeaderEntry& a, const HeaderEntry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    check_cover(header.tensors);
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(file_ + " is not a safetensors file (" + why + "); write or fetch it again");
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    refuse("tensor " + parity::quoted(name) + " " + why);
  }

  std::map<std::string, std::string> metadata_of(const Json& json) const {
    std::map<std::string, std::string> result;
    if (!json.is_object())
      refuse("its __metadata__ is not an object of strings");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string())
        refuse("its __metadata__ has " + parity::quoted(key) + ", which is not a string");
      result[key] = value.get<std::string>();
    }
    return result;
  }

  HeaderEntry entry_of(const std::string& name, const Json& json) const {
    if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
        !json.contains("data_offsets"))
      refuse(name, "does not have exactly dtype, shape and data_offsets");
    HeaderEntry entry;
    entry.name = name;
    entry.type = type_of(name, json.at("dtype"));
    entry.shape = shape_of(name, json.at("shape"));
    const Json& offsets = json.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned())
      refuse(name, "has data_offsets that are not two whole numbers of 0 or more");
    entry.begin = offsets[0].get<uint64_t>();
    entry.end = offsets[1].get<uint64_t>();
    check_size(entry);
    return entry;
  }

  StoredType type_of(const std::string& name, const Json& json) const {
    const std::string text = json.is_string() ? json.get<std::string>() : json_text(json);
    for (const StoredType& type : stored_types)
      if (json.is_string() && text == type.name)
        return type;
    std::string known;
    for (const StoredType& type : stored_types)
      known += (known.empty() ? "" : ", ") + std::string(type.name);
    refuse(name, "has dtype " + parity::quoted(text) + ", which is not one of " + known);
  }

  Shape shape_of(const std::string& name, const Json& json) const {
    Shape shape;
    if (!json.is_array())
      refuse(name, "has a shape that is not a list");
    for (const Json& size : json) {
      if (!size.is_number_unsigned() || size.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
        refuse(name, "has a shape with " + escape_to_line(json_text(size)) +
                         ", which is not a whole number of 0 or more");
      shape.push_back(size.get<int64_t>());
    }
    return shape;
  }

  void check_size(const HeaderEntry& entry) const {
    int64_t count = 1;
    uint64_t bytes = 0;
    bool overflows = false;
    for (const int64_t size : entry.shape)  // also if a size of 0 follows: no loop could traverse it
      overflows = overflows || __builtin_mul_overflow(count, size, &count);
    if (overflows || __builtin_mul_overflow(static_cast<uint64_t>(count), size_of(entry.type.dtype), &bytes))
      refuse(entry.name, "has shape " + to_string(entry.shape) + ", more bytes than can be counted");
    const std::string range = std::to_string(entry.begin) + " to " + std::to_string(entry.end);
    if (entry.end < entry.begin || entry.end - entry.begin != bytes)
      refuse(entry.name, "has bytes " + range + ", but shape " + to_string(entry.shape) + " of " +
                             std::string(entry.type.name) + " takes " + std::to_string(bytes));
    if (entry.end > data_bytes_)
      refuse(entry.name, "has bytes " + range + ", but only " + std::to_string(data_bytes_) +
                             " follow the header: the file was cut short");
  }

  void check_cover(const std::vector<HeaderEntry>& tensors) const {
    uint64_t at = 0;
    for (const HeaderEntry& entry : tensors) {
      if (entry.begin < at)
        refuse(entry.name,
               "begins at byte " + std::to_string(entry.begin) + ", where another tensor's bytes are");
      if (entry.begin > at)
        refuse(entry.name, "begins at byte " + std::to_string(entry.begin) + " and leaves a hole from " +
                               std::to_string(at));
      at = entry.end;
    }
    if (at != data_bytes_)
      refuse(std::to_string(data_bytes_) + " bytes follow the header, and its tensors take " +
             std::to_string(at));
  }

  uint64_t data_bytes_;
  const std::string& file_;
};

}  // namespace

std::string_view safetensors_name(DType dtype) {
  return stored_types.at(static_cast<size_t>(dtype)).name;
}

SafetensorsHeader parse_header(std::string_view text, uint64_t data_bytes, const std::string& file) {
  return Reader(data_bytes, file).read(text);
}

std::string header_text(const SafetensorsHeader& header) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!header.metadata.empty())
    json[std::string(metadata_key)] = header.metadata;
  for (const HeaderEntry& entry : header.tensors)
    json[entry.name] = {
        {"dtype", entry.type.name}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace parity::checkpoints
