# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing before project() looks for it: Debian packages when this is root on Debian,
# and the pinned PyPI packages in a virtual environment. Runs in script order; safe to run again.

set(PARITY_VENV "${CMAKE_SOURCE_DIR}/build/venv" CACHE PATH
    "Virtual environment with the pinned PyPI packages; shared by all presets")
option(PARITY_BOOTSTRAP "Install missing Debian and PyPI packages while configuring" ON)

# --- Debian packages -----------------------------------------------------------------------------

function(_parity_missing_packages out)
  file(STRINGS "${CMAKE_SOURCE_DIR}/harness/cmake/debian-packages.txt" wanted REGEX "^[a-z]")
  execute_process(
    COMMAND dpkg-query -W -f "\${Status} \${Package}\\n" ${wanted}
    OUTPUT_VARIABLE listing ERROR_QUIET)
  set(missing "")
  foreach(package IN LISTS wanted)
    string(REGEX REPLACE "([+.])" "\\\\\\1" pattern "${package}")
    if(NOT listing MATCHES "install ok installed ${pattern}\n")
      list(APPEND missing ${package})
    endif()
  endforeach()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

function(_parity_install_packages)
  find_program(_dpkg_query dpkg-query)
  if(NOT _dpkg_query)
    message(STATUS "parity: not a Debian system; taking libraries as they are found")
    return()
  endif()
  _parity_missing_packages(missing)
  if(NOT missing)
    return()
  endif()
  list(JOIN missing " " line)
  execute_process(COMMAND id -u OUTPUT_VARIABLE uid OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT uid EQUAL 0)
    message(FATAL_ERROR
      "Debian packages are missing (they hold libraries and tools the build uses). Run:\n"
      "  sudo apt-get install -y --no-install-recommends ${line}\n"
      "and configure again.")
  endif()
  message(STATUS "parity: installing Debian packages: ${line}")
  set(apt ${CMAKE_COMMAND} -E env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  execute_process(COMMAND dpkg --configure -a OUTPUT_QUIET) # mends an installation that was cut off
  execute_process(COMMAND ${apt} update OUTPUT_QUIET)
  execute_process(
    COMMAND ${apt} install -y --no-install-recommends ${missing}
    OUTPUT_QUIET RESULT_VARIABLE failed)
  _parity_missing_packages(missing)
  if(missing)
    list(JOIN missing " " line)
    message(FATAL_ERROR
      "apt-get could not install: ${line} (exit status ${failed}). "
      "Look at the lines above, or run: apt-get install -y ${line}")
  endif()
endfunction()

# --- PyPI packages -------------------------------------------------------------------------------

# The stamp is written last and holds the hash of what was asked for: no stamp means that a bootstrap
# was interrupted, another hash that the requirements changed. Either way the environment starts anew.
function(_parity_install_venv)
  set(requirements "${CMAKE_SOURCE_DIR}/harness/cmake/requirements.txt")
  set(own_torch FALSE)
  if(Torch_DIR OR "$ENV{Torch_DIR}" OR Torch_ROOT OR "$ENV{Torch_ROOT}")
    set(own_torch TRUE)
  endif()

  file(LOCK "${PARITY_VENV}.lock" GUARD FUNCTION TIMEOUT 1800)
  file(STRINGS "${requirements}" lines REGEX "^[a-z]")
  if(own_torch)
    list(FILTER lines EXCLUDE REGEX "^(torch|triton|cuda|nvidia)")
  endif()
  list(JOIN lines "\n" wanted)
  string(SHA256 hash "${wanted}")
  set(stamp "${PARITY_VENV}/parity-bootstrap")
  set(found "")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" found)
  endif()
  if(found STREQUAL hash AND EXISTS "${PARITY_VENV}/bin/python")
    return()
  endif()

  message(STATUS "parity: installing the pinned PyPI packages into ${PARITY_VENV} (about 5 GB, a minute or two)")
  file(REMOVE_RECURSE "${PARITY_VENV}")
  # The distribution's interpreter, not the first on PATH: the wheels are pinned for its version.
  execute_process(COMMAND /usr/bin/python3 -m venv "${PARITY_VENV}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "could not make ${PARITY_VENV} with /usr/bin/python3 (exit status ${failed}); "
      "is python3-venv installed?")
  endif()
  file(WRITE "${PARITY_VENV}/requirements.txt" "${wanted}\n")
  execute_process(
    COMMAND "${PARITY_VENV}/bin/python" -m pip install --quiet --no-input --disable-pip-version-check
            --no-cache-dir -r "${PARITY_VENV}/requirements.txt"
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "pip could not install ${requirements} (exit status ${failed}); "
      "look at the lines above; configuring again starts it anew")
  endif()
  file(WRITE "${stamp}" "${hash}")
endfunction()

if(PARITY_BOOTSTRAP)
  _parity_install_packages()
  _parity_install_venv()
endif()
