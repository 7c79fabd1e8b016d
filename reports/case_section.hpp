// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/page_parts.hpp"
#include "reports/results.hpp"

namespace parity::reports {

/// The HTML of one case. Its templates are parsed once and serve every case.
class CaseSection {
 public:
  CaseSection();

  /// \param index  position in the suite, which the page's data uses
  /// \param slug   id of the section; ids inside begin with it
  std::string render(const Case& item, size_t index, const std::string& slug);

 private:
  void set_checks(Data& data, const Case& item, const std::string& slug);
  std::string arm_blocks(const Case& item);

  Template case_template_, check_template_, arm_template_;
};

}  // namespace parity::reports
