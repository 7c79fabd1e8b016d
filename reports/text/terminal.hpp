// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "reports/model/suite/form.hpp"

namespace parity::reports {

enum class Colour {
  plain,  ///< no escape codes: files, pipes, NO_COLOR
  ansi,
};

/// Writes the whole suite for people: every case, then one line of summary.
///
/// Each check is one line with ✓ or ✗. A failed check is followed by its place, both values in full, metric,
/// limit, reason and a command to investigate. Text is wrapped at `width` columns (at least 40); commands
/// never are, so that they can be pasted.
class TerminalForm : public Form {
 public:
  TerminalForm(const Results& results, Sink out, Colour colour, int width)
      : results_(results), out_(std::move(out)), colour_(colour), width_(width) {}

  void add(const Case& item) override;
  void end() override;

 private:
  const Results& results_;
  Sink out_;
  Colour colour_;
  int width_;
};

/// Returns one case of the text, to print as progress when the case has finished.
std::string terminal_case(const Case& item, Colour colour, int width);

/// Returns the last lines of the text: counts, and the names of the cases that fail.
std::string terminal_summary(const Results& results, Colour colour, int width);

}  // namespace parity::reports
