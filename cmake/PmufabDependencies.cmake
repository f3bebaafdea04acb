# SPDX-License-Identifier: Apache-2.0
# All dependencies are Debian packages, which tools/setup installs. pmufabConfig.cmake.in repeats those that an
# installed pmufab needs.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
# Only pmufab explore, which is not installed as a library, needs these.
find_package(muparser REQUIRED CONFIG)
find_package(SQLite3 REQUIRED)
# Only pmufab import needs pugixml and libfdt, which has no CMake package.
find_package(pugixml REQUIRED CONFIG)
find_path(PMUFAB_FDT_INCLUDE_DIR libfdt.h REQUIRED)
find_library(PMUFAB_FDT_LIBRARY fdt REQUIRED)
mark_as_advanced(PMUFAB_FDT_INCLUDE_DIR PMUFAB_FDT_LIBRARY)
add_library(LibFdt::fdt UNKNOWN IMPORTED)
set_target_properties(LibFdt::fdt PROPERTIES
  IMPORTED_LOCATION "${PMUFAB_FDT_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${PMUFAB_FDT_INCLUDE_DIR}")
include(PmufabImports)
if(PMUFAB_BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(PMUFAB_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
