// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/html/page_data.hpp"
#include "reports/html/page_parts.hpp"

namespace parity::reports {

/// Returns the id of a check on the page. \param number  its position in the case
std::string check_id(const std::string& slug, size_t number);

/// Writes the HTML of the checks of a case: a row for each check, and one row for each group
/// (model/checks/groups.hpp).
class CheckRows {
 public:
  CheckRows();

  /// Fills the parts of case.mustache about checks and the golden.
  ///
  /// \param details  receives the HTML that is shown when a passed check is opened
  void set(Data& data, const Case& item, const std::string& slug, CheckDetails& details);

 private:
  std::string render_check(const Check& check, size_t number, const std::string& slug, CheckDetails& details);
  std::string render_group(const Case& item, const std::vector<size_t>& numbers, const std::string& slug,
                           CheckDetails& details);

  Template check_template_, group_template_, alike_template_, details_template_;
};

}  // namespace parity::reports
