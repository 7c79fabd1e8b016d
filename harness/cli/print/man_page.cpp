// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/man_page.hpp"

#include <cctype>

#include <fmt/format.h>

namespace parity::cli {
namespace {

/// Returns a text in which roff sees no command.
std::string escaped(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\''))
      result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    at_start = c == '\n';
  }
  return result;
}

std::string upper(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string path_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : path_of(*verb.get_parent()) + " " + verb.get_name();
}

/// Returns "--out" or "CASE", with the other names of the option.
std::string option_names(const CLI::Option& option) {
  return option.get_name(option.get_positional(), true);
}

std::string describe_option(const CLI::Option& option) {
  std::string text = fmt::format(".TP\n\\fB{}\\fR", escaped(option_names(option)));
  if (option.get_items_expected() != 0 && !option.get_positional())
    text += fmt::format(" \\fI{}\\fR", escaped(option.get_type_name()));
  text += "\n" + escaped(option.get_description());
  if (!option.get_default_str().empty())
    text += fmt::format(" (default: {})", escaped(option.get_default_str()));
  return text + "\n";
}

/// Returns a text whose lines are kept unchanged.
std::string as_typed(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(text));
}

void add_verb(std::string& page, const CLI::App& verb) {
  page += fmt::format(".SS \"{}\"\n{}\n", escaped(path_of(verb)), escaped(verb.get_description()));
  for (const CLI::Option* option : verb.get_options())
    if (!option->get_group().empty() && option->get_name(false, true) != "-h,--help")
      page += describe_option(*option);
  page += as_typed(verb.get_footer());
  for (const CLI::App* sub :
       verb.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
    add_verb(page, *sub);
}

}  // namespace

std::string man_page(const CLI::App& app, std::string_view version) {
  std::string page =
      fmt::format(".TH {} 1 \"\" \"parity {}\" \"User Commands\"\n", upper(app.get_name()), version);
  page += fmt::format(".SH NAME\n{} \\- {}\n", app.get_name(), escaped(app.get_description()));
  page += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]\n", app.get_name());
  page += ".SH SUBCOMMANDS\n";
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    add_verb(page, *verb);
  return page + ".SH EXIT STATUS\n" + as_typed(app.get_footer());
}

}  // namespace parity::cli
