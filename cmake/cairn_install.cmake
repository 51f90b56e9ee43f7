# `cmake --install`: program, library, public headers, pkg-config file, CMake package, ready-to-run scenarios, batch
# script, documentation.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cairn")
install(TARGETS libcairn EXPORT cairnTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cairn" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios" "${PROJECT_SOURCE_DIR}/jobs"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cairn" USE_SOURCE_PERMISSIONS)
# Links from one page to another hold: README.md beside docs/.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
              "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cairnConfig.cmake.in" "${PROJECT_BINARY_DIR}/cairnConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cairnConfig.cmake" "${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/cairn_dependencies.cmake" DESTINATION "${package_dir}")

# The headers name none of the libraries below, so all are private. A static libcairn needs those it calls itself at the
# consumer's link: they stand in Libs, because `pkg-config --static` would also ask for what shared ones bring along,
# which nobody has installed for development.
list(JOIN CAIRN_DEPENDENCY_MODULES " " modules)
set(pc_private "Requires.private: ${modules}\nLibs.private: -lm -lpthread")
if(NOT BUILD_SHARED_LIBS)
  list(JOIN CAIRN_DEPENDENCY_FLAGS " " pc_libs)
  string(PREPEND pc_libs " ")
  string(APPEND pc_libs " -lm -lpthread")
endif()
file(RELATIVE_PATH pc_up "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
configure_file("${PROJECT_SOURCE_DIR}/cmake/cairn.pc.in" "${PROJECT_BINARY_DIR}/cairn.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cairn.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
