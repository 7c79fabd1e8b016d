# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# A build from a bundle (PARITY_BUNDLE): headers and libraries are in its unpacked tree, not in the system's folders.
# The libraries find each other through the run path of our programs, so it is one that their own libraries inherit.
if(PARITY_BUNDLE)
  include_directories(SYSTEM "${PARITY_BUNDLE_PREFIX}/usr/include")
  add_link_options("LINKER:--disable-new-dtags" "LINKER:-rpath-link,${PARITY_BUNDLE_LIBRARIES}")
  list(APPEND CMAKE_BUILD_RPATH "${PARITY_BUNDLE_LIBRARIES}")
  list(APPEND CMAKE_INSTALL_RPATH "${PARITY_BUNDLE_LIBRARIES}")
endif()

# The presets `bundle` and `bundle-slim`: the target that writes one.
if(PARITY_WRITE_BUNDLE)
  set(_slim "")
  if(PARITY_WRITE_BUNDLE STREQUAL "slim")
    set(_slim --slim)
  endif()
  add_custom_target(bundle
    COMMAND python3 "${PROJECT_SOURCE_DIR}/harness/cmake/bundle.py" write "${PROJECT_SOURCE_DIR}/out/bundle" ${_slim}
    COMMENT "Every package that a build needs" VERBATIM USES_TERMINAL)
endif()
