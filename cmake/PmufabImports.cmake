# SPDX-License-Identifier: Apache-2.0
# Imported targets whose name or packaging differs between Debian releases. The build uses this file, and so does
# find_package(pmufab) of an installation, so that both see the same targets.

# SystemC. Debian 12 (2.3.4) and 13 (3.0.1) have no CMake package for it and built the library as C++17. SystemC puts
# the language version into a symbol that every program refers to. The macro lets C++20 code link with it.
if(NOT TARGET SystemC::systemc)
  find_package(SystemCLanguage QUIET CONFIG)
endif()
if(NOT TARGET SystemC::systemc)
  find_path(PMUFAB_SYSTEMC_INCLUDE_DIR systemc REQUIRED)
  find_library(PMUFAB_SYSTEMC_LIBRARY systemc REQUIRED)
  mark_as_advanced(PMUFAB_SYSTEMC_INCLUDE_DIR PMUFAB_SYSTEMC_LIBRARY)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${PMUFAB_SYSTEMC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${PMUFAB_SYSTEMC_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=201703L)
endif()

# The target of yaml-cpp is yaml-cpp up to 0.7 (Debian 12) and yaml-cpp::yaml-cpp from 0.8 (Debian 13).
if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  set_target_properties(yaml-cpp::yaml-cpp PROPERTIES INTERFACE_LINK_LIBRARIES yaml-cpp)
endif()
