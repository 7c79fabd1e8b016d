/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PARITY_RECORDER_H
#define PARITY_RECORDER_H

#include <stdint.h>

/** \file
 * The Recorder for C and for whatever can call C. Link parity::trace.
 *
 * Functions that can fail return 0, or the exit status that the failure deserves (2 bad input, 70 a call out
 * of order); parity_recorder_last_error then says what was wrong. One recorder a rank, calls from one thread.
 * Strings are UTF-8 and end in NUL. Phases and dtypes go by their names in FORMAT.md. */

#ifdef __cplusplus
extern "C" {
#endif

/** A trace that is being written. */
typedef struct parity_recorder parity_recorder;

/** Opens a trace; NULL on failure.
 * config, provenance, capture: JSON objects, or NULL for none (nothing captured beyond channels).
 * append_after: 0 for a new trace, or the last step of the complete trace at `path` that this run
 * resumes. */
parity_recorder* parity_recorder_open(const char* path, const char* config, const char* provenance,
                                      const char* capture, int64_t append_after);

/** Begins a step: the number of an update, from 1, or 0 for the initial state. */
int parity_recorder_begin_step(parity_recorder* recorder, int64_t step);

/** Records the value of a channel. timing: 0 for a value that is compared, 1 for one that is only shown. */
int parity_recorder_channel_f64(parity_recorder* recorder, const char* name, double value, int timing);
/** Records the value of an integer channel. timing: 0 for a value that is compared, 1 for one that is only
 * shown. */
int parity_recorder_channel_i64(parity_recorder* recorder, const char* name, int64_t value, int timing);

/** Returns 1 if offering the tensor would record anything, 0 if not, -1 on failure. */
int parity_recorder_wants(parity_recorder* recorder, const char* phase, const char* name);

/** Records a tensor as the capture asks.
 * data: row-major, contiguous, copied before the call returns. shape: `rank` sizes, outermost first. */
int parity_recorder_tensor(parity_recorder* recorder, const char* phase, const char* name, const char* dtype,
                           int32_t rank, const int64_t* shape, const void* data);

/** Ends the step, which is then committed whole. */
int parity_recorder_end_step(parity_recorder* recorder);

/** Marks the end before its time; what: a JSON object. */
int parity_recorder_failure(parity_recorder* recorder, const char* what);

/** Completes the trace and gives it its final name. The recorder is still to be closed. */
int parity_recorder_finish(parity_recorder* recorder);

/** Frees the recorder; without finish the trace stays partial. NULL is allowed. */
void parity_recorder_close(parity_recorder* recorder);

/** Returns why the last call of this thread that failed did; "" if none has. Valid until the next one that
 * does. */
const char* parity_recorder_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
