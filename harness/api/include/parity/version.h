/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PARITY_VERSION_H
#define PARITY_VERSION_H

/** \file
 * Version of the headers below include/parity. Configuring fails if it is not that of the project. */

/** Major version. */
#define PARITY_VERSION_MAJOR 0
/** Minor version. Below 1.0, another minor version may break the C++ headers, never the C functions. */
#define PARITY_VERSION_MINOR 2
/** Patch version. */
#define PARITY_VERSION_PATCH 0
/** "MAJOR.MINOR.PATCH". */
#define PARITY_VERSION_STRING "0.2.0"

/** Number of the C interface of the recorder that these headers describe. See recorder.h for the rule. */
#define PARITY_RECORDER_ABI 4

#endif
