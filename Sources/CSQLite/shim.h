// The header through which Swift imports SQLite.
//
// It adds the parts of <sqlite3.h> that Swift cannot import (variadic functions, macros that are casts), and
// declares as *weak* the functions that an installed libsqlite3 may lack: a program links any installed
// library, and checks at run time which functions exist (`tidemark_has_…`).

#ifndef TIDEMARK_CSQLITE_SHIM_H
#define TIDEMARK_CSQLITE_SHIM_H

// Make the header declare the optional interfaces, independent of the options of the library.
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#ifndef SQLITE_ENABLE_SESSION
#define SQLITE_ENABLE_SESSION 1
#endif
#ifndef SQLITE_ENABLE_SNAPSHOT
#define SQLITE_ENABLE_SNAPSHOT 1
#endif

#include <sqlite3.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

// MARK: - The Foundation module

// Everything that requires Foundation is in a separate module. In a program without it, this symbol is not defined.
extern void tidemark_foundation_services(void *_Nonnull place) __attribute__((weak));

// Returns whether the module is linked.
static inline int tidemark_ask_foundation(void *_Nonnull place) {
  if (!tidemark_foundation_services) return 0;
  tidemark_foundation_services(place);
  return 1;
}

// MARK: - Optional interfaces: weak references

#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_old
#pragma weak sqlite3_preupdate_new
#pragma weak sqlite3_preupdate_count
#pragma weak sqlite3_preupdate_depth
#if SQLITE_VERSION_NUMBER >= 3040000
#pragma weak sqlite3_value_encoding
#endif
#if SQLITE_VERSION_NUMBER >= 3036000
#pragma weak sqlite3_preupdate_blobwrite
#endif

#pragma weak sqlite3_snapshot_get
#pragma weak sqlite3_snapshot_open
#pragma weak sqlite3_snapshot_free
#pragma weak sqlite3_snapshot_cmp
#pragma weak sqlite3_snapshot_recover

#pragma weak sqlite3session_create
#pragma weak sqlite3session_delete
#pragma weak sqlite3session_enable
#pragma weak sqlite3session_indirect
#pragma weak sqlite3session_attach
#pragma weak sqlite3session_table_filter
#pragma weak sqlite3session_changeset
#pragma weak sqlite3session_diff
#pragma weak sqlite3session_patchset
#pragma weak sqlite3session_isempty
#pragma weak sqlite3changeset_start
#pragma weak sqlite3changeset_next
#pragma weak sqlite3changeset_op
#pragma weak sqlite3changeset_pk
#pragma weak sqlite3changeset_old
#pragma weak sqlite3changeset_new
#pragma weak sqlite3changeset_conflict
#pragma weak sqlite3changeset_fk_conflicts
#pragma weak sqlite3changeset_finalize
#pragma weak sqlite3changeset_invert
#pragma weak sqlite3changeset_concat
#pragma weak sqlite3changeset_apply
#pragma weak sqlite3changeset_apply_v2

#pragma weak sqlite3_load_extension
#pragma weak sqlite3_enable_load_extension

static inline int tidemark_has_preupdate_hook(void) {
  return sqlite3_preupdate_hook != 0 && sqlite3_preupdate_old != 0 && sqlite3_preupdate_new != 0
      && sqlite3_preupdate_count != 0 && sqlite3_preupdate_depth != 0;
}

/// Whether a text is stored in UTF-8; false if this is unknown.
static inline int tidemark_value_is_utf8(sqlite3_value *value) {
#if SQLITE_VERSION_NUMBER >= 3040000
  return sqlite3_value_encoding != 0 && sqlite3_value_encoding(value) == SQLITE_UTF8;
#else
  (void)value;
  return 0;
#endif
}

/// The column that an incremental blob write changes, or -1.
static inline int tidemark_preupdate_blobwrite(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3036000
  return sqlite3_preupdate_blobwrite != 0 ? sqlite3_preupdate_blobwrite(db) : -1;
#else
  (void)db;
  return -1;
#endif
}

static inline int tidemark_has_snapshot(void) {
  return sqlite3_snapshot_get != 0 && sqlite3_snapshot_open != 0 && sqlite3_snapshot_free != 0
      && sqlite3_snapshot_cmp != 0;
}

static inline int tidemark_has_session(void) {
  return sqlite3session_create != 0 && sqlite3session_delete != 0 && sqlite3session_attach != 0
      && sqlite3session_changeset != 0 && sqlite3changeset_start != 0 && sqlite3changeset_apply != 0;
}

static inline int tidemark_has_load_extension(void) {
  return sqlite3_load_extension != 0;
}

/// Disables both the SQL function and the C function that load extensions.
static inline void tidemark_disable_load_extension(sqlite3 *db) {
  if (sqlite3_enable_load_extension != 0) sqlite3_enable_load_extension(db, 0);
}

// MARK: - Macros that Swift cannot import

static inline sqlite3_destructor_type tidemark_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type tidemark_static(void) { return SQLITE_STATIC; }

// MARK: - FTS5

/// Gets the interface of FTS5, which a connection returns through a bound pointer: SQLite compares the type of the
/// pointer while the statement runs, so that it must be a static text. Fails with SQLITE_ERROR if libsqlite3 was built
/// without FTS5.
static inline int tidemark_fts5_api(sqlite3 *_Nonnull db, fts5_api *_Nullable *_Nonnull api) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_pointer(statement, 1, (void *)api, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  return sqlite3_finalize(statement);
}

// MARK: - Variadic functions

/// sqlite3_db_config for the Boolean options, with their resulting value.
static inline int tidemark_db_config_bool(sqlite3 *db, int option, int onOrOff, int *result) {
  return sqlite3_db_config(db, option, onOrOff, result);
}

/// sqlite3_config for the options without an argument (threading modes).
static inline int tidemark_config(int option) { return sqlite3_config(option); }

typedef void (*tidemark_log_callback)(void *context, int code, const char *message);

/// sqlite3_config(SQLITE_CONFIG_LOG). Call it before any connection is opened.
static inline int tidemark_config_log(tidemark_log_callback callback, void *context) {
  return sqlite3_config(SQLITE_CONFIG_LOG, callback, context);
}

// MARK: - The system

/// The type of the file system of a file, by its magic number; 0 where the system does not report it. It calls
/// the system, because SQLite does not offer this.
static inline unsigned tidemark_file_system(const char *path) {
#ifdef __linux__
  struct statfs facts;
  return statfs(path, &facts) == 0 ? (unsigned)facts.f_type : 0;
#else
  (void)path;
  return 0;
#endif
}

// The number of bytes that can be read from a descriptor now; negative if it is unknown.
static inline int tidemark_unread_bytes(int descriptor) {
#ifdef __linux__
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
#else
  (void)descriptor;
  return -1;
#endif
}

// Gives the calling thread a name that the system shows; it keeps the first 15 bytes.
static inline void tidemark_name_thread(const char *_Nonnull name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL);
#endif
}

// Disables the timer slack of the calling thread, which prolongs sleeps by about fifty microseconds.
static inline void tidemark_sleep_exactly(void) {
#ifdef __linux__
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
#endif
}

#ifdef __linux__
// Declared here: the headers would add types for times to this module.
extern long syscall(long number, ...);

// Waits until there is something to read, or some time has passed. `descriptors` are `struct pollfd`; negative
// ones are ignored.
static inline void tidemark_wait(void *_Nonnull descriptors, int count, long long nanoseconds) {
  long time[2] = {(long)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  syscall(SYS_ppoll, descriptors, (unsigned)count, time, 0L, 0L);
}
#endif

#endif
