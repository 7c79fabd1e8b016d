// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "reports/model/suite/form.hpp"

namespace parity::reports {

/// Writes JUnit XML 1.0, UTF-8: a testsuite per case, a testcase per check. A check that failed has a
/// <failure> with the sentence and the lines of the terminal's failure block; an arm that did not finish is a
/// testcase with an <error>. Characters that XML cannot hold are shown as <U+001B>.
class JunitForm : public Form {
 public:
  JunitForm(const Results& results, Sink out);

  void add(const Case& item) override;
  void end() override;

 private:
  const Results& results_;
  Sink out_;
  size_t place_ = 0;  ///< of the next case
};

}  // namespace parity::reports
