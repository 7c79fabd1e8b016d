// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/far/served_folder.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/launch/run_folder.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr const char* arriving = ".arriving";

/// Returns the path of a file of the run. \throws UserError for a name that may lead elsewhere
fs::path path_of(const fs::path& folder, const std::string& name) {
  const auto is_plain = [](const fs::path& part) {
    const std::string text = part.string();
    return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char letter) {
      return std::isalnum(letter) != 0 || letter == '.' || letter == '_' || letter == '-';
    });
  };
  const fs::path relative(name);
  if (name.empty() || name.size() > 500 || !relative.is_relative() ||
      !std::all_of(relative.begin(), relative.end(), is_plain))
    throw UserError(
        fmt::format("cannot use {} (not the name of a file of a run); use letters, digits, '.', "
                    "'_' and '-'",
                    parity::quoted(name)));
  return folder / relative;
}

Message list_files(const fs::path& folder) {
  Json names = Json::array();
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (std::error_code gone; fs::is_regular_file(at->symlink_status(gone)))
      names.push_back(at->path().lexically_relative(folder).string());
  return {{{"names", names}}};
}

Message read_piece(const fs::path& file, int64_t offset) {
  std::error_code error;
  const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
  if (error || !fs::is_regular_file(file, error))
    return {};
  const auto start = static_cast<uintmax_t>(std::max<int64_t>(0, offset));
  Message message{{{"size", size}}};
  message.bytes.resize(start < size ? std::min<uintmax_t>(size - start, piece_of_messages) : 0);
  std::ifstream in = open_file(file);
  in.seekg(static_cast<std::streamoff>(start));
  if (!message.bytes.empty() &&
      !in.read(message.bytes.data(), static_cast<std::streamsize>(message.bytes.size())))
    throw UserError(fmt::format("cannot read {}", escape_for_terminal(file.string())));
  return message;
}

void append_to(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::app);
  if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())) || !out.flush())
    throw_cannot_write(file);
}

void keep_arrived(const fs::path& file, const Json& head) {
  fs::path arrived = file;
  arrived += arriving;
  if (integer_or(head, "size", -1) == 0)
    append_to(arrived, "");
  if (fs::file_size(arrived) != static_cast<uintmax_t>(integer_or(head, "size", -1)) ||
      hash_of_contents(arrived) != text_or(head, "digest")) {
    fs::remove(arrived);
    throw UserError(
        fmt::format("cannot keep {} (it arrived with other bytes); check the network and the file "
                    "system",
                    file.filename().string()));
  }
  fs::rename(arrived, file);
}

Message execute_request(const fs::path& folder, const Message& asked) {
  const Json& head = asked.head;
  const auto file = [&](const char* what) { return path_of(folder, text_or(head, what)); };
  if (head.contains("list"))
    return list_files(folder);
  if (head.contains("read"))
    return read_piece(file("read"), integer_or(head, "offset", 0));
  if (head.contains("claim"))
    return {{{"first", SeenFolder(folder).claim(file("claim").lexically_relative(folder).string())}}};
  if (head.contains("write"))
    write_file(file("write"), asked.bytes);
  else if (head.contains("append"))
    append_to(file("append"), asked.bytes);
  else if (head.contains("keep"))
    keep_arrived(file("keep"), head);
  else if (head.contains("remove"))
    fs::remove(file("remove"));
  else
    throw UserError("cannot answer a request of another version of parity; use one version on all machines");
  return {};
}

}  // namespace

Message answer_for_folder(const fs::path& folder, const Message& asked) {
  try {
    return execute_request(folder, asked);
  } catch (const UserError& error) {
    return {{{"problem", error.what()}}};
  } catch (const fs::filesystem_error& error) {
    return {{{"problem", error_of(error).what()}}};
  }
}

}  // namespace parity::suite
