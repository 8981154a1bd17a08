/// Reads the index that the compiler writes: which file declares or refers to which symbol.
///
/// The library that reads it, libIndexStore, is part of the Swift toolchain. It is loaded when it is needed.
#ifndef C_INDEX_STORE_H
#define C_INDEX_STORE_H

#include <stdint.h>

/// A place in a source file that defines or mentions a symbol. The strings are valid during the call.
typedef struct {
  const char *file;
  unsigned line;
  /// The unified symbol resolution: one text per symbol, unique in the program.
  const char *usr;
  const char *name;
  /// The flags of `enum index_role`.
  uint64_t roles;
} index_occurrence;

enum index_role {
  INDEX_ROLE_DECLARATION = 1 << 0,
  INDEX_ROLE_DEFINITION = 1 << 1,
  INDEX_ROLE_REFERENCE = 1 << 2,
  INDEX_ROLE_IMPLICIT = 1 << 8,
};

/// Calls `visit` for each occurrence in the files of a Swift module.
///
/// - Returns: NULL, or a description of the failure, which the caller frees.
char *index_store_visit(
  const char *library, const char *store, const char *module, void *context,
  void (*visit)(void *context, const index_occurrence *occurrence));

#endif
