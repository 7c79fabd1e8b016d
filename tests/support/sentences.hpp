// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity {

/// Returns the message of the UserError that `act` throws; "" if it throws none.
template <class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// Returns `text` with every `found` replaced, so that a table of messages names no folder of one run.
inline std::string with_replaced(std::string text, const std::string& found, const std::string& replacement) {
  for (size_t at = 0; (at = text.find(found, at)) != std::string::npos; at += replacement.size())
    text.replace(at, found.size(), replacement);
  return text;
}

/// A row of a table of messages: what is refused, and the whole text. Such a table is the one place that pins
/// the wording of a folder's errors; other tests pin fields or key words.
struct Sentence {
  std::function<void()> act;
  std::string text;
};

/// Expects each act to throw a UserError with its text, after `folder` is replaced by "DIR".
inline void expect_sentences(const std::vector<Sentence>& sentences, const std::string& folder = "") {
  for (const Sentence& sentence : sentences) {
    const std::string message = message_of(sentence.act);
    EXPECT_EQ(folder.empty() ? message : with_replaced(message, folder, "DIR"), sentence.text);
  }
}

}  // namespace parity
