// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/junit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/model/checks/finding_rows.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/suite/outcome.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

std::string escaped(const std::string& text, bool attribute) {
  std::string result;
  const std::string source = escape_for_terminal(text);
  for (size_t i = 0; i < source.size(); ++i) {
    const char byte = source[i];
    if (byte == '&')
      result += "&amp;";
    else if (byte == '<')
      result += "&lt;";
    else if (byte == '>')
      result += "&gt;";
    else if (byte == '"')
      result += "&quot;";
    else if (attribute && (byte == '\n' || byte == '\t'))
      result += byte == '\n' ? "&#10;" : "&#9;";  // attributes would fold them into spaces
    else if (source.compare(i, 3, "\xEF\xBF\xBE") == 0 || source.compare(i, 3, "\xEF\xBF\xBF") == 0) {
      result += "\xEF\xBF\xBD";  // U+FFFE and U+FFFF are not characters of XML
      i += 2;
    } else
      result += byte;
  }
  return result;
}

std::string attribute(const char* name, const std::string& value) {
  return " " + std::string(name) + "=\"" + escaped(value, true) + "\"";
}

std::string seconds(double value) {
  return fmt::format("{:.3f}", std::isfinite(value) ? value : 0);
}

std::string details(const Check& check) {
  std::string text = check.sentence + "\nclaim: " + claim(check);
  for (const FindingRow& row : finding_rows(check))
    text += "\n" + row.label + ": " + row.value;
  if (const std::string measured = measured_label(check, 8); !measured.empty())
    text += "\nmeasured: " + measured;
  if (!check.coverage.text.empty())
    text += "\ncompared: " + check.coverage.text;
  if (!check.because.empty())
    text += "\nbecause: " + check.because;
  if (!check.finding.next.empty())
    text += "\nnext: " + check.finding.next;
  if (!check.finding.cause.empty())
    text += "\ncause: " + check.finding.cause;
  return text;
}

/// Returns one testcase; `element` is empty, "failure", "error", "skipped", or "system-out" for a passed
/// check with a note.
std::string testcase(const Case& item, const std::string& name, const std::string& element,
                     const std::string& type, const std::string& message, const std::string& body) {
  std::string text =
      "    <testcase" + attribute("classname", item.name) + attribute("name", name) + " time=\"0.000\"";
  if (element.empty())
    return text + "/>\n";
  if (element == "system-out")
    return text + ">\n      <system-out>" + escaped(body, false) + "</system-out>\n    </testcase>\n";
  return text + ">\n      <" + element + (element == "skipped" ? "" : attribute("type", type)) +
         attribute("message", message) + ">" + escaped(body, false) + "</" + element + ">\n    </testcase>\n";
}

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

/// Returns whether a case fails although its checks hold and its arms finished. It gets its own failure.
bool fails_alone(const CaseLine& item) {
  return item.failed() && item.checks_failed == 0 && item.lost_arms.empty();
}

Counts counts_of(const CaseLine& item) {
  const size_t alone = fails_alone(item) ? 1 : 0;
  const size_t skipped = item.skipped.empty() ? 0 : 1;
  return {item.checks + item.lost_arms.size() + alone + skipped, item.checks_failed + alone,
          item.lost_arms.size(), skipped};
}

std::string count_attributes(const Counts& counts) {
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", counts.tests,
                     counts.failures, counts.errors, counts.skipped);
}

/// Checks that pass by drift or by stored evidence are marked, for readers who see only this file.
std::string element_of(const Check& check) {
  if (!check.passed)
    return "failure";
  return check.verdict == "drift" || (check.evidence && check.evidence->stored()) ? "system-out" : "";
}

std::string finding(const Check& check) {
  const std::string evidence = evidence_label(check.evidence);
  return check.sentence + (evidence.empty() ? "" : "; " + evidence);
}

std::string evidence_property(const EvidenceShare& evidence) {
  const std::string label = evidence.label();
  return label.empty() ? "" : "      <property name=\"evidence\"" + attribute("value", label) + "/>\n";
}

std::string testcases(const Case& item, const CaseLine& line) {
  std::string body;
  for (const Check& check : item.checks)
    body += testcase(item, check.id + " " + claim(check), element_of(check), check.verdict, check.sentence,
                     check.passed ? finding(check) : details(check));
  for (const Arm& arm : item.arms)
    if (arm.failed())
      body += testcase(item, "arm " + arm.name + " finishes", "error", arm.failure->kind_name(),
                       arm.failure->message, arm.failure->message + "\n" + arm.stderr_tail);
  if (!item.skipped.empty())
    body += testcase(item, "case", "skipped", item.verdict, item.skipped, item.sentence);
  if (fails_alone(line))
    body += testcase(item, "case", "failure", item.verdict, item.sentence, item.sentence);
  return body;
}

/// An incomplete suite gets an error of its own.
std::string incomplete(const Results& results) {
  Case whole;
  whole.name = "the whole suite";
  std::string names;
  for (const std::string& name : results.unfinished)
    names += "\nnot judged: " + name;
  return "  <testsuite" + attribute("name", whole.name) +
         " tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\"" +
         attribute("timestamp", results.started) + ">\n" +
         testcase(whole, "every case is judged", "error", "missing", outcome(results),
                  outcome(results) + names) +
         "  </testsuite>\n";
}

/// Results of different origins are noted in a test that passes.
std::string mixed_suite(const Results& results) {
  Case whole;
  whole.name = "mixed results";
  return "  <testsuite" + attribute("name", whole.name) +
         " tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.000\"" +
         attribute("timestamp", results.started) + ">\n" +
         testcase(whole, "results are of one origin", "system-out", "", "", mixed_label(results)) +
         "  </testsuite>\n";
}

}  // namespace

JunitForm::JunitForm(const Results& results, Sink out) : results_(results), out_(std::move(out)) {
  Counts sum;
  if (!results.whole())
    sum = {1, 0, 1, 0};
  if (!results.mixed.empty())
    ++sum.tests;
  for (const CaseLine& item : results.cases) {
    const Counts one = counts_of(item);
    sum = {sum.tests + one.tests, sum.failures + one.failures, sum.errors + one.errors,
           sum.skipped + one.skipped};
  }
  out_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"parity\"" + count_attributes(sum) +
       fmt::format(" time=\"{}\">\n", seconds(results.seconds)));
  if (!results.whole())
    out_(incomplete(results));
  if (!results.mixed.empty())
    out_(mixed_suite(results));
}

void JunitForm::add(const Case& item) {
  const CaseLine& line = results_.cases.at(place_++);
  out_("  <testsuite" + attribute("name", item.name) + count_attributes(counts_of(line)) +
       fmt::format(" time=\"{}\"", seconds(item.seconds)) + attribute("timestamp", results_.started) + ">\n" +
       "    <properties>\n      <property name=\"question\"" + attribute("value", item.question) +
       "/>\n      <property name=\"found\"" + attribute("value", item.sentence) + "/>\n" +
       evidence_property(line.evidence) + "    </properties>\n" + testcases(item, line) + "  </testsuite>\n");
}

void JunitForm::end() {
  out_("</testsuites>\n");
}

}  // namespace parity::reports
