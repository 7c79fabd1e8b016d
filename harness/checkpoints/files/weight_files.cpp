// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/weight_files.hpp"

#include <set>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/files/llm_c.hpp"
#include "harness/checkpoints/files/safetensors.hpp"
#include "harness/checkpoints/files/safetensors_header.hpp"
#include "harness/checkpoints/files/sharded_safetensors.hpp"
#include "harness/checkpoints/files/unique_json.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

constexpr const char* single_name = "model.safetensors";
constexpr const char* index_name = "model.safetensors.index.json";

[[noreturn]] void refuse_index(const fs::path& index, const std::string& why) {
  throw UserError(escape_for_terminal(index.string()) + " does not fit its files (" + why +
                  "); write or fetch the folder again");
}

/// Reads the index: the file of each tensor. Files must be in the folder of the index.
std::map<std::string, std::string> files_of(const fs::path& index) {
  const Json json = read_unique_json(read_file(index, largest_header), escape_for_terminal(index.string()));
  if (!json.is_object() || !json.contains("weight_map") || !json.at("weight_map").is_object() ||
      json.at("weight_map").empty())
    refuse_index(index, "it has no weight_map from names to files");
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : json.at("weight_map").items()) {
    const std::string file = value.is_string() ? value.get<std::string>() : "";
    if (file.empty() || file == ".." || file == "." || fs::path(file).filename() != file)
      refuse_index(index, "it has " + parity::quoted(name) + " in " + parity::quoted(json_text(value)) +
                              ", which is not the name of a file next to it");
    result[name] = file;
  }
  return result;
}

std::unique_ptr<TensorFile> open_one(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && has_llm_c_head(read_head(path, 2 * sizeof(int32_t))))
    return std::make_unique<LlmcFile>(path);
  return std::make_unique<SafetensorsFile>(path);
}

}  // namespace

WeightFiles::WeightFiles(const fs::path& path) : path_(path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    open_folder();
  else if (path.string().ends_with(".index.json"))
    open_index(path);
  else
    add(path, {}, {});
}

void WeightFiles::open_folder() {
  std::error_code error;
  const fs::path index = path_ / index_name, single = path_ / single_name;
  if (fs::exists(index, error))
    open_index(index);
  else if (fs::exists(single, error))
    add(single, {}, {});
  else
    throw UserError("no weights in " + escape_for_terminal(path_.string()) + " (it has neither " +
                        single_name + " nor " + index_name + "); name the file",
                    ExitCode::missing);
}

void WeightFiles::open_index(const fs::path& index) {
  const std::map<std::string, std::string> file_of = files_of(index);
  std::set<std::string> names;
  for (const auto& [name, file] : file_of)
    names.insert(file);
  for (const std::string& file : names)
    add(index.parent_path() / file, index, file_of);
  for (const auto& [name, file] : file_of)
    if (!tensors_.contains(name))
      refuse_index(index, "it has " + parity::quoted(name) + " in " + parity::quoted(file) +
                              ", which has no such tensor");
}

std::map<std::string, std::string> WeightFiles::metadata() const {
  std::map<std::string, std::string> all;
  for (const auto& file : files_)
    all.insert(file->metadata().begin(), file->metadata().end());
  return all;
}

void WeightFiles::release(const std::byte* data, size_t bytes) const {
  for (const auto& file : files_)
    file->release(data, bytes);
}

void WeightFiles::add(const fs::path& path, const fs::path& index,
                      const std::map<std::string, std::string>& file_of) {
  const TensorFile& file = *files_.emplace_back(open_one(path));
  for (const auto& [name, tensor] : file.tensors()) {
    const auto found = file_of.find(name);
    if (!file_of.empty() && (found == file_of.end() || found->second != path.filename()))
      refuse_index(index, parity::quoted(path.filename().string()) + " has a tensor " + parity::quoted(name) +
                              ", which the index puts " +
                              (found == file_of.end() ? "nowhere" : "into " + parity::quoted(found->second)));
    tensors_[name] = tensor;
  }
}

}  // namespace parity::checkpoints
