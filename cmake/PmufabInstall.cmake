# SPDX-License-Identifier: Apache-2.0
# cmake --install: libraries, the public headers by folder under include/pmufab (so that "tlm/bus/mmio_bus.h" is found),
# and the package files of find_package(pmufab). Include last: pmufab_library has filled the export set by then.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pmufab)

install(DIRECTORY tlm models testbench
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pmufab
  FILES_MATCHING PATTERN "*.h"
  PATTERN testbench/tests EXCLUDE
  PATTERN testbench/bench EXCLUDE
  PATTERN testbench/driver_host/shim EXCLUDE
  PATTERN testbench/driver_host/runtime EXCLUDE
  PATTERN testbench/support EXCLUDE)

install(EXPORT pmufabTargets NAMESPACE pmufab:: DESTINATION ${package_dir})
configure_package_config_file(cmake/pmufabConfig.cmake.in ${PROJECT_BINARY_DIR}/pmufabConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pmufabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/pmufabConfig.cmake
  ${PROJECT_BINARY_DIR}/pmufabConfigVersion.cmake
  cmake/PmufabImports.cmake
  DESTINATION ${package_dir})
