// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/junit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/text.hpp"

namespace parity::reports {
namespace {

std::string escaped(const std::string& text, bool attribute) {
  std::string result;
  const std::string source = visible(text);
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
  if (check.worst) {
    text += "\nworst: " + place(*check.worst);
    if (check.worst->has_values())
      text += "\nexpected: " + exact(check.worst->expected) + "\nactual: " + exact(check.worst->actual);
    if (!check.worst->metric.empty())
      text += "\nmetric: " + check.worst->metric + " " + exact(check.worst->value) +
              (has_limit(check, *check.worst) ? ", limit " + exact(check.worst->limit) : "");
  }
  if (const std::string measured = measured_label(check, 8); !measured.empty())
    text += "\nmeasured: " + measured;
  text += "\nlimit: " + limits_label(check);
  if (!check.because.empty())
    text += "\nbecause: " + check.because;
  if (!check.command.empty())
    text += "\ncloser: " + check.command;
  return text;
}

/// One testcase; `element` is empty, "failure", "error" or "skipped".
std::string testcase(const Case& item, const std::string& name, const std::string& element,
                     const std::string& type, const std::string& message, const std::string& body) {
  std::string text =
      "    <testcase" + attribute("classname", item.name) + attribute("name", name) + " time=\"0.000\"";
  if (element.empty())
    return text + "/>\n";
  return text + ">\n      <" + element + (element == "skipped" ? "" : attribute("type", type)) +
         attribute("message", message) + ">" + escaped(body, false) + "</" + element + ">\n    </testcase>\n";
}

struct Suite {
  std::string body;
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

Suite suite(const Case& item) {
  Suite result;
  for (const Check& check : item.checks) {
    ++result.tests;
    result.failures += check.passed ? 0 : 1;
    result.body += testcase(item, check.id + " " + claim(check), check.passed ? "" : "failure", check.verdict,
                            check.sentence, details(check));
  }
  for (const Arm& arm : item.arms) {
    if (!arm.failed())
      continue;
    ++result.tests;
    ++result.errors;
    result.body += testcase(item, "arm " + arm.name + " finishes", "error", arm.failure_kind, arm.failure,
                            arm.failure + "\n" + arm.stderr_tail);
  }
  if (!item.skipped.empty()) {
    ++result.tests;
    ++result.skipped;
    result.body += testcase(item, "case", "skipped", item.verdict, item.skipped, item.sentence);
  }
  if (item.failed() && result.failures + result.errors == 0) {
    ++result.tests;
    ++result.failures;
    result.body += testcase(item, "case", "failure", item.verdict, item.sentence, item.sentence);
  }
  return result;
}

}  // namespace

/// A suite that is not whole has an error of its own.
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

std::string junit(const Results& results) {
  std::string suites;
  Suite sum;
  if (!results.whole()) {
    suites += incomplete(results);
    ++sum.tests;
    ++sum.errors;
  }
  for (const Case& item : results.cases) {
    const Suite one = suite(item);
    suites += "  <testsuite" + attribute("name", item.name) +
              fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"", one.tests,
                          one.failures, one.errors, one.skipped, seconds(item.seconds)) +
              attribute("timestamp", results.started) + ">\n";
    suites += "    <properties>\n      <property name=\"question\"" + attribute("value", item.question) +
              "/>\n      <property name=\"found\"" + attribute("value", item.sentence) +
              "/>\n    </properties>\n";
    suites += one.body + "  </testsuite>\n";
    sum.tests += one.tests;
    sum.failures += one.failures;
    sum.errors += one.errors;
    sum.skipped += one.skipped;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"parity\"" +
         fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"", sum.tests,
                     sum.failures, sum.errors, sum.skipped, seconds(results.seconds)) +
         ">\n" + suites + "</testsuites>\n";
}

}  // namespace parity::reports
