// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/suite/form.hpp"

namespace parity::reports {

/// Writes GitHub-flavoured Markdown for a job summary: the outcome, a table of cases, each failure in full.
/// At most 50 failed checks are written in full, so that the summary stays far below GitHub's limit of 1 MiB.
/// The rest is counted.
class SummaryForm : public Form {
 public:
  SummaryForm(const Results& results, Sink out);

  void add(const Case& item) override;
  void end() override;

 private:
  const Results& results_;
  Sink out_;
  std::string text_;
  size_t end_;           ///< size of the text beyond which no failure is begun
  size_t room_;          ///< failed checks that may still be written
  size_t left_out_ = 0;  ///< cases
};

}  // namespace parity::reports
