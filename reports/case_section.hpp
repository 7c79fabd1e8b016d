// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/page_data.hpp"
#include "reports/page_parts.hpp"
#include "reports/results.hpp"

namespace parity::reports {

/// Id of a check on the page. \param number  its position in the case
std::string check_id(const std::string& slug, size_t number);

/// The HTML of one case. Its templates are parsed once and serve every case.
class CaseSection {
 public:
  CaseSection();

  /// \param index  position in the suite, which the page's data uses
  /// \param slug   id of the section; ids inside begin with it
  /// \param details  takes the HTML of what is shown when a check that holds is opened
  std::string render(const Case& item, size_t index, const std::string& slug, CheckDetails& details);

 private:
  void set_checks(Data& data, const Case& item, const std::string& slug, CheckDetails& details);
  std::string render_check(const Check& check, size_t number, const std::string& slug, CheckDetails& details);
  std::string arm_blocks(const Case& item);

  Template case_template_, check_template_, details_template_, arm_template_;
};

}  // namespace parity::reports
