#define _GNU_SOURCE
#include "CIndexStore.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *data;
  size_t length;
} string_ref;

// The functions of libIndexStore that are used here.
static struct {
  void *(*store_create)(const char *, void **);
  void (*store_dispose)(void *);
  const char *(*error_get_description)(void *);
  void (*error_dispose)(void *);
  bool (*store_units_apply_f)(void *, unsigned, void *, bool (*)(void *, string_ref));
  void *(*unit_reader_create)(void *, const char *, void **);
  void (*unit_reader_dispose)(void *);
  string_ref (*unit_reader_get_main_file)(void *);
  string_ref (*unit_reader_get_module_name)(void *);
  bool (*unit_reader_dependencies_apply_f)(void *, void *, bool (*)(void *, void *));
  int (*unit_dependency_get_kind)(void *);
  string_ref (*unit_dependency_get_name)(void *);
  string_ref (*unit_dependency_get_filepath)(void *);
  void *(*record_reader_create)(void *, const char *, void **);
  void (*record_reader_dispose)(void *);
  bool (*record_reader_occurrences_apply_f)(void *, void *, bool (*)(void *, void *));
  void *(*occurrence_get_symbol)(void *);
  uint64_t (*occurrence_get_roles)(void *);
  void (*occurrence_get_line_col)(void *, unsigned *, unsigned *);
  string_ref (*symbol_get_usr)(void *);
  string_ref (*symbol_get_name)(void *);
} api;

enum { DEPENDENCY_ON_RECORD = 2 };

typedef struct {
  void *store;
  const char *module;
  void *context;
  void (*visit)(void *, const index_occurrence *);
  char *file;
  char *failure;
} visitor;

static char *copy(string_ref string) { return strndup(string.data ? string.data : "", string.length); }

/// Keeps the first failure.
static void fail(visitor *visitor, void *error, const char *subject) {
  const char *reason = error ? api.error_get_description(error) : "unknown error";
  if (!visitor->failure && asprintf(&visitor->failure, "%s: %s", subject, reason) < 0) visitor->failure = NULL;
  if (error) api.error_dispose(error);
}

static bool visit_occurrence(void *context, void *occurrence) {
  visitor *visitor = context;
  void *symbol = api.occurrence_get_symbol(occurrence);
  unsigned line = 0, column = 0;
  api.occurrence_get_line_col(occurrence, &line, &column);
  char *usr = copy(api.symbol_get_usr(symbol));
  char *name = copy(api.symbol_get_name(symbol));
  index_occurrence value = {visitor->file, line, usr, name, api.occurrence_get_roles(occurrence)};
  visitor->visit(visitor->context, &value);
  free(usr);
  free(name);
  return true;
}

static bool visit_dependency(void *context, void *dependency) {
  visitor *visitor = context;
  if (api.unit_dependency_get_kind(dependency) != DEPENDENCY_ON_RECORD) return true;
  char *path = copy(api.unit_dependency_get_filepath(dependency));
  bool is_main_file = strcmp(path, visitor->file) == 0;
  free(path);
  if (!is_main_file) return true;
  char *name = copy(api.unit_dependency_get_name(dependency));
  void *error = NULL;
  void *record = api.record_reader_create(visitor->store, name, &error);
  if (record) {
    api.record_reader_occurrences_apply_f(record, visitor, visit_occurrence);
    api.record_reader_dispose(record);
  } else {
    fail(visitor, error, name);
  }
  free(name);
  return true;
}

static bool visit_unit(void *context, string_ref unit_name) {
  visitor *visitor = context;
  char *name = copy(unit_name);
  void *error = NULL;
  void *unit = api.unit_reader_create(visitor->store, name, &error);
  if (unit) {
    char *module = copy(api.unit_reader_get_module_name(unit));
    if (strcmp(module, visitor->module) == 0) {
      visitor->file = copy(api.unit_reader_get_main_file(unit));
      api.unit_reader_dependencies_apply_f(unit, visitor, visit_dependency);
      free(visitor->file);
    }
    free(module);
    api.unit_reader_dispose(unit);
  } else {
    fail(visitor, error, name);
  }
  free(name);
  return true;
}

static char *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return strdup(dlerror());
#define LOAD(function)                                                      \
  *(void **)&api.function = dlsym(library, "indexstore_" #function);        \
  if (!api.function) return strdup("indexstore_" #function " is missing in libIndexStore")
  LOAD(store_create);
  LOAD(store_dispose);
  LOAD(error_get_description);
  LOAD(error_dispose);
  LOAD(store_units_apply_f);
  LOAD(unit_reader_create);
  LOAD(unit_reader_dispose);
  LOAD(unit_reader_get_main_file);
  LOAD(unit_reader_get_module_name);
  LOAD(unit_reader_dependencies_apply_f);
  LOAD(unit_dependency_get_kind);
  LOAD(unit_dependency_get_name);
  LOAD(unit_dependency_get_filepath);
  LOAD(record_reader_create);
  LOAD(record_reader_dispose);
  LOAD(record_reader_occurrences_apply_f);
  LOAD(occurrence_get_symbol);
  LOAD(occurrence_get_roles);
  LOAD(occurrence_get_line_col);
  LOAD(symbol_get_usr);
  LOAD(symbol_get_name);
#undef LOAD
  return NULL;
}

char *index_store_visit(
  const char *library, const char *store, const char *module, void *context,
  void (*visit)(void *, const index_occurrence *)) {
  char *failure = load(library);
  if (failure) return failure;
  visitor visitor = {.module = module, .context = context, .visit = visit};
  void *error = NULL;
  visitor.store = api.store_create(store, &error);
  if (visitor.store) {
    api.store_units_apply_f(visitor.store, 1, &visitor, visit_unit);
    api.store_dispose(visitor.store);
  } else {
    fail(&visitor, error, store);
  }
  return visitor.failure;
}
