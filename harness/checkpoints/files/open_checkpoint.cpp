// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/open_checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/checkpoints/files/llm_c.hpp"
#include "harness/checkpoints/files/read_by_python.hpp"
#include "harness/checkpoints/files/safetensors_header.hpp"
#include "harness/checkpoints/files/sharded_safetensors.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

enum class Format { none, safetensors, llm_c, pickle, distributed };

constexpr std::string_view tensors_ending = ".safetensors", index_ending = sharded_index_ending;

/// Returns whether a file begins as safetensors files do: a length that is possible, and a JSON object.
bool has_safetensors_head(const std::string& head) {
  uint64_t length = 0;
  if (head.size() < 9)
    return false;
  std::memcpy(&length, head.data(), sizeof length);
  return length >= 2 && length <= largest_header && head[8] == '{';
}

Format format_of_file(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.ends_with(tensors_ending) || name.ends_with(index_ending))
    return Format::safetensors;
  const std::string head = read_head(path, 16);
  if (has_safetensors_head(head))
    return Format::safetensors;
  if (has_llm_c_head(head))
    return Format::llm_c;
  const bool zip = head.starts_with("PK\x03\x04"), legacy = head.starts_with("\x80\x02\x8a\x0a");
  return zip || legacy ? Format::pickle : Format::none;
}

std::vector<fs::path> files_ending(const fs::path& folder, std::string_view with) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().ends_with(with))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns whether a file is one of several: "model-00001-of-00002.safetensors".
bool is_one_shard(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto digits_before = [&](size_t end) {
    size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(stem[begin - 1])) != 0)
      --begin;
    return stem.substr(begin, end - begin);
  };
  constexpr std::string_view of = "-of-";
  const std::string count = digits_before(stem.size());
  const size_t before = stem.size() - count.size();
  if (before < of.size() || stem.compare(before - of.size(), of.size(), of) != 0 ||
      digits_before(before - of.size()).empty())
    return false;
  const size_t digit = count.find_first_not_of('0');
  return digit != std::string::npos && count.substr(digit) != "1";
}

/// Returns the file that stands for a folder of safetensors or torch.save files; empty if it has none.
/// \throws UserError if several could be meant
fs::path file_of_folder(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"model.safetensors.index.json", "model.safetensors"})
    if (fs::exists(folder / name, error))
      return folder / name;
  for (const std::string_view with :
       {index_ending, tensors_ending, std::string_view("pytorch_model.bin.index.json"),
        std::string_view("pytorch_model.bin")}) {
    const std::vector<fs::path> found = files_ending(folder, with);
    if (found.size() > 1)
      throw UserError(fmt::format(
          "cannot choose a checkpoint in {} ({} files end in {} and no index lists them); name one of them",
          escape_to_line(folder.string()), found.size(), with));
    if (found.size() == 1 && with == tensors_ending && is_one_shard(found.front()))
      throw UserError(
          fmt::format("cannot read {} ({} is one shard of several, and no index lists them); copy "
                      "the other shards and the index, or name the file",
                      escape_to_line(folder.string()), escape_to_line(found.front().filename().string())),
          ExitCode::missing);
    if (found.size() == 1)
      return found.front();
  }
  return {};
}

bool is_distributed(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / ".metadata", error);
}

/// A run folder stays a run, whatever weights it has beside its trace.
bool has_trace(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "trace.h5", error) || fs::exists(folder / "trace.h5.partial", error);
}

bool is_readable_folder(const fs::path& folder) {
  if (has_trace(folder))
    return false;
  for (const std::string_view with : {index_ending, tensors_ending, std::string_view("pytorch_model.bin"),
                                      std::string_view("pytorch_model.bin.index.json")})
    if (!files_ending(folder, with).empty())
      return true;
  return is_distributed(folder);
}

int64_t whole_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

/// Returns the size of a head that config.json of Hugging Face states; 0 without such a file.
int64_t head_size_in(const fs::path& folder) {
  constexpr uint64_t most = 1U << 20U;
  std::error_code error;
  if (!fs::is_regular_file(folder / "config.json", error))
    return 0;
  Json json = read_json(read_file(folder / "config.json", most));
  if (json.is_object() && json.contains("text_config"))
    json = Json(json.at("text_config"));
  if (!json.is_object())
    return 0;
  const int64_t size = whole_number(json, "head_dim"), heads = whole_number(json, "num_attention_heads");
  return size > 0 ? size : heads > 0 ? whole_number(json, "hidden_size") / heads : 0;
}

/// Returns the names of files and folders that hold the rest of a training's state, as Hugging Face's
/// Trainer, Accelerate and DeepSpeed write them beside the weights.
std::vector<std::string> states_beside_weights(const fs::path& folder) {
  constexpr std::array<std::string_view, 6> patterns = {"optimizer.pt", "optimizer.bin",  "optimizer_*",
                                                        "scheduler.*",  "rng_state*.pth", "global_step*"};
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (std::ranges::any_of(patterns,
                            [&](std::string_view each) { return glob_match(std::string(each), name); }))
      found.push_back(std::move(name));
  }
  std::ranges::sort(found);
  return found;
}

Checkpoint read_checkpoint(const std::string& path) {
  std::error_code error;
  fs::path file = path;
  if (fs::is_directory(path, error) && is_distributed(path) && files_ending(path, tensors_ending).empty())
    return read_by_python(path);
  if (fs::is_directory(path, error))
    file = file_of_folder(path);
  if (file.empty())
    throw UserError(fmt::format("cannot read {} (the folder has no checkpoint); name a safetensors file, a "
                                "torch.save file or a folder of them",
                                escape_to_line(path)),
                    ExitCode::missing);
  if (format_of_file(file) == Format::pickle || file.string().ends_with(".bin.index.json"))
    return read_by_python(path, file);
  const auto files = std::make_shared<const WeightFiles>(file);
  if (format_of_file(file) == Format::llm_c)
    return {path, "llm.c", files->tensors(), {}, files, std::stoll(files->metadata().at("head_size"))};
  return {path, "safetensors", files->tensors(), {}, files, head_size_in(file.parent_path())};
}

}  // namespace

bool is_checkpoint(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return is_readable_folder(path);
  if (!fs::is_regular_file(path, error))
    return path.ends_with(tensors_ending);
  return format_of_file(path) != Format::none;
}

Checkpoint open_checkpoint(const std::string& path) {
  Checkpoint opened = read_checkpoint(path);
  std::error_code error;
  if (!fs::is_directory(path, error))
    return opened;
  if (const auto beside = states_beside_weights(path); !beside.empty())
    opened.notes.push_back(
        fmt::format("{} in {} {} not compared; name such a file of each folder to compare it",
                    escape_to_line(fmt::format("{}", fmt::join(beside, ", ")), 200), escape_to_line(path),
                    beside.size() == 1 ? "was" : "were"));
  return opened;
}

}  // namespace parity::checkpoints
