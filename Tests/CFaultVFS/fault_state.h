// What the parts of the file system share.

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
  // Guards all that follows.
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

  // The function that is called.
  int call_mask;
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
  // Borrowed from SQLite, which keeps it as long as the file is open; NULL for a file without a name.
  const char *path;
  int is_database;
  // The system's VFS synchronizes the folder with the first sync of a new journal or log.
  int will_sync_folder;
  // What follows in memory is the file of the VFS below.
  sqlite3_file real[];
} fault_file;

/// What becomes of a call: SQLITE_OK, or the code that it fails with. `tears`, when not NULL, is told whether half of
/// it is to be done.
int fault_judge(fault_vfs *vfs, int kind, int *tears);

/// Whether syncs are to do nothing.
int fault_lies(fault_vfs *vfs);

/// Calls the function that wants to know.
void fault_announce(fault_file *file, int kind);

/// Writes an event down, if they are.
void fault_event_add(
    fault_vfs *vfs, fault_event_kind kind, const char *path, int64_t offset, const void *bytes, int64_t count,
    int syncs_folder);

/// The methods of the files, for a version of the interface.
const sqlite3_io_methods *fault_methods(int version);

#endif
