# cairn_embed(OUT.h SYMBOL FILE...): make OUT.h define `static const char SYMBOL[]`, the files one after the other as
# one C string. An `#include "x.h"` that names a file in src/ is replaced by that file (its include guard still works),
# every other line stays as it is.
function(cairn_embed out symbol)
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/kernels/*.h")
  list(JOIN ARGN "|" files)
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-Dout=${out}" "-Dsymbol=${symbol}" "-Dfiles=${files}"
            "-Dinclude=${PROJECT_SOURCE_DIR}/src" -P "${script}"
    DEPENDS ${ARGN} ${headers} "${script}"
    COMMENT "Embedding ${symbol}" VERBATIM)
endfunction()
