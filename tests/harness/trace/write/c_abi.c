/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiled as C: records two steps through the C functions only. Called by c_abi_test.cpp. */
#include <stddef.h>

#include "harness/trace/write/parity_recorder.h"

int record_from_c(const char* path);
int misuse_from_c(const char* path);

int record_from_c(const char* path) {
  const float values[2][2] = {{1.0F, -2.0F}, {0.5F, 4.0F}};
  const int64_t shape[2] = {2, 2};
  int failed = 0;
  parity_recorder* recorder =
      parity_recorder_open(path, "{\"steps\": 2}", NULL, "{\"tensors\": [{\"phases\": [\"param\"]}]}", 0);
  if (recorder == NULL)
    return 1;
  for (int64_t step = 1; step <= 2; ++step) {
    failed |= parity_recorder_begin_step(recorder, step);
    failed |= parity_recorder_channel_f64(recorder, "loss", 1.0 / (double)step, 0);
    failed |= parity_recorder_channel_i64(recorder, "valid_tokens", 7, 0);
    failed |= parity_recorder_channel_f64(recorder, "step_seconds", 0.25, 1);
    failed |= parity_recorder_wants(recorder, "param", "w") != 1;
    failed |= parity_recorder_wants(recorder, "grad", "w") != 0;
    failed |= parity_recorder_tensor(recorder, "param", "w", "float32", 2, shape, values);
    failed |= parity_recorder_end_step(recorder);
  }
  failed |= parity_recorder_finish(recorder);
  parity_recorder_close(recorder);
  return failed;
}

int misuse_from_c(const char* path) {
  int status = 0;
  parity_recorder* recorder = parity_recorder_open(path, NULL, NULL, NULL, 0);
  if (recorder == NULL)
    return -1;
  status = parity_recorder_begin_step(recorder, 1) == 0 && parity_recorder_wants(recorder, "gard", "w") == -1;
  parity_recorder_close(recorder);
  return status;
}
