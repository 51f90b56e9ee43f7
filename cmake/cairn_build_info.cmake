# cairn_build_info(FLAGS_TARGET): keep generated/build_info.h up to date at every build (the commit changes without a
# new configure run); it is rewritten only when its text changes.
function(cairn_build_info flags_target)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  get_target_property(options ${flags_target} INTERFACE_COMPILE_OPTIONS)
  list(FILTER options EXCLUDE REGEX "^-W|^\\$<")
  list(JOIN options " " options)
  string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}} ${options}" flags)
  set(script "${PROJECT_SOURCE_DIR}/cmake/build_info_script.cmake")
  add_custom_target(cairn_build_info
    COMMAND "${CMAKE_COMMAND}" "-Dsource=${PROJECT_SOURCE_DIR}" "-Dout=${PROJECT_BINARY_DIR}/generated/build_info.h"
            "-Dversion=${PROJECT_VERSION}" "-Dcompiler=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}"
            "-Dflags=${flags}" "-Dtype=${CMAKE_BUILD_TYPE}" -P "${script}"
    BYPRODUCTS "${PROJECT_BINARY_DIR}/generated/build_info.h"
    COMMENT "Checking build_info.h" VERBATIM)
endfunction()
