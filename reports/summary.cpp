// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/summary.hpp"

#include <algorithm>

#include "reports/text.hpp"
#include "reports/verdicts.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_failures = 50;
constexpr size_t longest_name = 160;
constexpr size_t longest_text = 600;

/// One line in which nothing is Markdown or HTML.
std::string plain(const std::string& text, size_t longest = longest_text) {
  std::string result;
  for (const char byte : shorten(text, longest)) {
    if (byte == '<')
      result += "&lt;";
    else if (byte == '>')
      result += "&gt;";
    else if (byte == '&')
      result += "&amp;";
    else if (std::string_view("\\`*_[]|~$#!").find(byte) != std::string_view::npos)
      result += std::string("\\") + byte;
    else
      result += byte;
  }
  return result;
}

/// A code span that also holds in a table: HTML, since backticks and bars inside end a Markdown one.
std::string code(const std::string& text) {
  return "<code>" + plain(text, longest_name) + "</code>";
}

/// A fenced block; the fence is longer than any run of backticks inside.
std::string block(const std::string& text) {
  size_t longest = 2, run = 0;
  for (const char byte : text) {
    run = byte == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + text + "\n" + fence + "\n\n";
}

std::string verdict(const std::string& name) {
  const VerdictLook* look = find_verdict(name);
  return (look ? std::string(look->sign) + " " : "") + name;
}

void write_table(std::string& text, const Results& results) {
  text += "| | case | verdict | found | checks | time |\n|---|---|---|---|---:|---:|\n";
  for (const Case& item : results.cases) {
    const size_t held = item.checks.size() - item.checks_failed();
    text += "| " + std::string(item.passed ? "✅" : "❌") + " | " + code(item.name) + " | " +
            verdict(item.verdict) + " | " + plain(item.sentence, 240) + " | " + std::to_string(held) + "/" +
            std::to_string(item.checks.size()) + " | " + duration(item.seconds) + " |\n";
  }
  text += "\n";
}

void write_check(std::string& text, const Check& check) {
  text += "**✗ " + verdict(check.verdict) + "**: " + plain(check.sentence) + "\n\n";
  text += "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    if (!value.empty())
      text += "| " + std::string(name) + " | " + value + " |\n";
  };
  row("claim", plain(claim(check)));
  if (check.worst) {
    row("worst", code(place(*check.worst)));
    row("expected", code(exact(check.worst->expected)));
    row("actual", code(exact(check.worst->actual)));
    if (!check.worst->metric.empty())
      row("metric", plain(metric_label(check.worst->metric) + " " + brief(check.worst->value) + ", limit " +
                          brief(check.worst->limit)));
  }
  row("measured", plain(measured_label(check, 4)));
  row("limit", plain(limits_label(check)));
  row("because", plain(check.because));
  text += "\n";
  if (!check.command.empty())
    text += "To look closer:\n\n" + block(one_line(check.command));
}

/// \return how many failed checks were written
size_t write_failures(std::string& text, const Case& item, size_t room) {
  size_t written = 0;
  text += "<details open>\n<summary>✗ " + code(item.name) + " " + plain(item.title) + "</summary>\n\n";
  if (!item.question.empty())
    text += "*" + plain(item.question) + "*\n\n";
  for (const Arm& arm : item.arms)
    if (!arm.complete) {
      text +=
          "**✗ arm** " + code(arm.name) + " " + plain(arm.failure_kind) + ": " + plain(arm.failure) + "\n\n";
      if (!arm.stderr_tail.empty()) {
        const std::string tail = visible(arm.stderr_tail);
        text += block(tail.size() > 4000 ? shorten(tail, 4000) : tail);
      }
    }
  for (const Check& check : item.checks)
    if (!check.passed && written < room) {
      write_check(text, check);
      ++written;
    }
  if (item.checks_failed() > written)
    text += "and " + count(item.checks_failed() - written, "more failed check") + " in index.html.\n\n";
  if (!item.reproduce.empty())
    text += "To run it again:\n\n" + block(one_line(item.reproduce));
  text += "</details>\n\n";
  return written;
}

}  // namespace

std::string summary(const Results& results) {
  const size_t checks = results.checks();
  std::string text = "## " + std::string(results.passed() ? "✅ " : "❌ ") + outcome(results) + "\n\n";
  text += count(checks, "check") + ", " + std::to_string(results.checks_failed()) + " failed; " +
          count(static_cast<size_t>(results.runs), "run") +
          (results.runs_cached > 0 ? ", " + std::to_string(results.runs_cached) + " from the cache" : "") +
          "; " + duration(results.seconds) + ".\n\n";
  write_table(text, results);
  size_t room = most_failures;
  for (const Case& item : results.cases)
    if (!item.passed)
      room -= write_failures(text, item, room);
  for (const Case& item : results.cases)
    for (const std::string& note : item.notes)
      text += "> " + code(item.name) + " " + plain(note) + "\n\n";
  std::string producer = "parity " + results.version;
  if (!results.commit.empty())
    producer += ", commit " + results.commit + (results.dirty ? " with local changes" : "");
  text += "<sub>" + plain(producer + ", " + results.started) + "</sub>\n";
  return text;
}

}  // namespace parity::reports
