// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parity::reports {

/// What is known of two features together.
struct MatrixPair {
  size_t one = 0, other = 0;  ///< indices of features, one < other
  std::string state;          ///< name of a MatrixState
  size_t arms = 0;            ///< number of arms that have both
  std::string evidence;       ///< an arm, settings, or the reason of a refusal
};

/// A state that a pair can have.
struct MatrixState {
  std::string name;
  std::string mark;      ///< one character for the cells
  std::string sentence;  ///< its meaning
};

/// The features that the arms of a suite have together.
struct CoverageMatrix {
  struct Feature {
    std::string name;
    std::string sentence;
  };
  struct Act {
    std::string name;
    int64_t acted = 0;    ///< arms in which it happened
    int64_t idle = 0;     ///< arms that ran without it
    int64_t unknown = 0;  ///< arms without a trace of it
  };
  /// A launcher, or another way in which ranks start.
  struct Start {
    std::string name;
    std::vector<std::string> arms;      ///< that start so
    std::vector<std::string> features;  ///< that these arms have
  };
  std::vector<Feature> features;
  std::vector<MatrixState> states;  ///< "covered" first
  std::vector<MatrixPair> pairs;
  std::vector<Act> acts;
  std::vector<Start> starts;
  std::string verdict;
  bool complete = false;  ///< whether every pair that the trainer accepts is covered
  std::string origin;     ///< how many arms were surveyed
};

}  // namespace parity::reports
