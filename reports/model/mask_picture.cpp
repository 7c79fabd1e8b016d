// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/mask_picture.hpp"

#include "reports/model/text.hpp"

namespace parity::reports {
std::string mask_sentence(const MaskPicture& mask) {
  const auto shown = static_cast<int64_t>(mask.documents.front().size());
  std::string text = "Update " + std::to_string(mask.step) + ", row " + std::to_string(mask.row) +
                     ", tokens " + std::to_string(mask.first_token) + "-" +
                     std::to_string(mask.first_token + shown - 1) + " of " + std::to_string(mask.tokens) +
                     ": ";
  const std::string pairs = count(static_cast<size_t>(mask.both), "pair") + " of the row attend";
  if (mask.arms.size() == 1)
    return text + pairs + ".";
  if (mask.same())
    return text + pairs + " in both, and no other pair in either.";
  return text + pairs + " in both, " + std::to_string(mask.only_first) + " only in " +
         one_line(mask.arms[0]) + ", " + std::to_string(mask.only_second) + " only in " +
         one_line(mask.arms[1]) + ".";
}

}  // namespace parity::reports
