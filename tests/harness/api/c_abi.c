/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiled as C: records two steps through the C functions only. Called by c_abi_test.cpp. */
#include <parity/recorder.h>
#include <stddef.h>

int record_from_c(const char* path);
int misuse_from_c(const char* path);
int record_rank_from_c(const char* path, int64_t rank);

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

/* One of two ranks, each with a row of a [2, 3] matrix that lies column by column in memory. */
int record_rank_from_c(const char* path, int64_t rank) {
  const float columns[3][2] = {{1.0F, 4.0F}, {2.0F, 5.0F}, {3.0F, 6.0F}};
  const int64_t shape[2] = {1, 3};
  const int64_t strides[2] = {1, 2};
  const char* layouts[2] = {
      "{\"global_shape\": [2, 3], \"placements\": [{\"mesh\": \"data\", \"coordinate\": 0, \"size\": 2, "
      "\"kind\": \"shard\", \"dim\": 0, \"ranges\": [[0, 1]]}]}",
      "{\"global_shape\": [2, 3], \"placements\": [{\"mesh\": \"data\", \"coordinate\": 1, \"size\": 2, "
      "\"kind\": \"shard\", \"dim\": 0, \"ranges\": [[1, 2]]}]}"};
  const parity_recorder_options options = {.struct_size = sizeof options,
                                           .path = path,
                                           .rank = rank,
                                           .ranks = 2,
                                           .capture = "{\"tensors\": [{}]}"};
  parity_tensor tensor = {.struct_size = sizeof tensor,
                          .dtype = "float32",
                          .rank = 2,
                          .shape = shape,
                          .strides = strides,
                          .data = &columns[0][rank],
                          .layout = layouts[rank]};
  int failed = 0;
  parity_recorder* recorder = parity_recorder_open_with(&options);
  if (recorder == NULL)
    return 1;
  tensor.id = parity_recorder_intern(recorder, "param", "w");
  failed |= tensor.id < 1;
  failed |= parity_recorder_begin_step(recorder, 1);
  failed |= parity_recorder_value_f64(recorder, "loss", 0.5, PARITY_CHANNEL_NUMERIC);
  failed |= parity_recorder_value_i64(recorder, "peak_bytes", 100 + rank, PARITY_CHANNEL_PER_RANK);
  failed |= parity_recorder_wants_id(recorder, tensor.id) != PARITY_WANTS_TENSOR;
  failed |= parity_recorder_offer(recorder, &tensor);
  failed |= parity_recorder_end_step(recorder);
  failed |= parity_recorder_finish(recorder);
  parity_recorder_close(recorder);
  return failed;
}
