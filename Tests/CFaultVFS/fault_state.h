// Declarations that the parts of the file system share.

#ifndef TIDEMARK_FAULT_STATE_H
#define TIDEMARK_FAULT_STATE_H

#include <pthread.h>
#include <sqlite3.h>

#include "fault_vfs.h"

#define FAULT_KIND_COUNT 11

struct fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *real;
  char *name;
  // Protects all members below.
  pthread_mutex_t lock;

  // The fault.
  int mask;
  int64_t nth;
  int persists;
  int code;
  int tears;
  int64_t seen;
  int64_t injected;
  int64_t counts[FAULT_KIND_COUNT];
  int64_t slept;

  // The callback.
  int call_mask;
  int announces_all_files;
  void (*function)(void *);
  void *context;

  // The events.
  int records;
  int lies;
  fault_event *events;
  int64_t event_count;
  int64_t event_capacity;
};

typedef struct {
  sqlite3_file base;
  fault_vfs *vfs;
  // Owned by SQLite, which keeps it while the file is open; NULL for a file without a name.
  const char *path;
  int is_database;
  // The system's VFS synchronizes the folder with the first sync of a new journal or log.
  int will_sync_folder;
  // Followed in memory by the file of the underlying VFS.
  sqlite3_file real[];
} fault_file;

/// The outcome of a call: SQLITE_OK, or the code with which it fails. `tears`, if not NULL, receives whether half of
/// the write is performed.
int fault_judge(fault_vfs *vfs, int kind, int *tears);

/// Whether syncs have no effect.
int fault_lies(fault_vfs *vfs);

/// Calls the callback.
void fault_announce(fault_file *file, int kind);

/// Records an event, if events are recorded.
void fault_event_add(
    fault_vfs *vfs, fault_event_kind kind, const char *path, int64_t offset, const void *bytes, int64_t count,
    int syncs_folder);

/// The file methods for a version of the interface.
const sqlite3_io_methods *fault_methods(int version);

#endif
