// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/html/check_rows.hpp"
#include "reports/html/page_data.hpp"
#include "reports/html/page_parts.hpp"
#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// Writes the HTML of one case. Its templates are parsed once for all cases.
class CaseSection {
 public:
  CaseSection();

  /// \param index  position in the suite, which the page's data uses
  /// \param slug   id of the section; ids inside begin with it
  /// \param details  receives the HTML that is shown when a passed check is opened
  std::string render(const Case& item, size_t index, const std::string& slug, CheckDetails& details);

 private:
  std::string arm_blocks(const Case& item);

  Template case_template_, arm_template_;
  CheckRows check_rows_;
};

}  // namespace parity::reports
