// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/spool.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity {

Spool::Spool(const std::filesystem::path& folder) : folder_(folder) {
  // The end of this block removes the file's name, not the open file.
  const TemporaryFile named(folder / "spool");
  file_.open(named.path(), std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc);
  if (!file_)
    throw_cannot_write(folder_);
}

size_t Spool::add(std::string_view piece) {
  file_.seekp(0, std::ios::end);
  if (!file_.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush())
    throw_cannot_write(folder_);
  ends_.push_back((ends_.empty() ? 0 : ends_.back()) + static_cast<std::streamoff>(piece.size()));
  return ends_.size() - 1;
}

std::string Spool::piece(size_t number) {
  const std::streamoff begin = number == 0 ? 0 : ends_.at(number - 1);
  std::string text(static_cast<size_t>(ends_.at(number) - begin), '\0');
  file_.seekg(begin);
  if (!file_.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw UserError(fmt::format(
        "cannot read temporary data back from {} (a read failed); run the command again", folder_.string()));
  return text;
}

}  // namespace parity
