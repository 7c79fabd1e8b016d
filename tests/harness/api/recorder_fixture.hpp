// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <parity/recorder.h>

#include "tests/support/traces/recorded.hpp"

namespace parity {

/// Records a trace of one rank through the C functions.
class CRecorderTest : public RecordedTest {
 protected:
  void TearDown() override { parity_recorder_close(recorder_); }

  /// Opens a recorder, which writes `file` of the test's folder, in place of the last one.
  void open_recorder(const std::string& capture, const std::string& file = "trace.h5") {
    parity_recorder_close(recorder_);
    const std::string path = (folder / file).string();
    parity_recorder_options options = {};
    options.struct_size = sizeof options;
    options.path = path.c_str();
    options.capture = capture.c_str();
    recorder_ = parity_recorder_open_with(&options);
    ASSERT_NE(recorder_, nullptr) << parity_recorder_last_error();
  }

  parity_recorder* recorder_ = nullptr;
};

}  // namespace parity
