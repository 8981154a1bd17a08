// A file system for SQLite that fails on request, and that records the calls to the disk.
//
// It is a layer above the system's own VFS. Several can exist; each has a name, with which connections are opened,
// and its own state. All functions may be called from any thread.

#ifndef TIDEMARK_FAULT_VFS_H
#define TIDEMARK_FAULT_VFS_H

#include <stdint.h>

typedef struct fault_vfs fault_vfs;

/// The operations of a file system, as bits.
enum {
  FAULT_OPEN = 1 << 0,
  FAULT_READ = 1 << 1,
  FAULT_WRITE = 1 << 2,
  FAULT_SYNC = 1 << 3,
  FAULT_TRUNCATE = 1 << 4,
  FAULT_DELETE = 1 << 5,
  FAULT_FILE_SIZE = 1 << 6,
  FAULT_LOCK = 1 << 7,
  FAULT_SHM_MAP = 1 << 8,
  FAULT_SHM_LOCK = 1 << 9,
  FAULT_ACCESS = 1 << 10,
  FAULT_ALL = (1 << 11) - 1,

  /// Never fails, but calls the callback: a connection that runs a checkpoint unmaps the file after it has read
  /// the log, and before it moves a frame.
  FAULT_UNFETCH = 1 << 11,
};

// MARK: - Lifetime

/// Registers a file system. Returns NULL without memory, or without a system VFS.
fault_vfs *fault_vfs_create(const char *name);

/// Unregisters it. All of its connections must be closed.
void fault_vfs_destroy(fault_vfs *vfs);

// MARK: - Faults

/// Makes a call fail: number `nth` of those in `mask` from now on, counted from 1; if `persists`, also all later ones
/// in `mask`.
///
/// SQLite receives `code`, or the code of the system's VFS for this kind of call if it is 0. If `tears`, the first half
/// of a failing write is performed.
void fault_vfs_arm(fault_vfs *vfs, int mask, int64_t nth, int persists, int code, int tears);

/// Stops the failures.
void fault_vfs_disarm(fault_vfs *vfs);

/// The number of failed calls since `fault_vfs_arm`.
int64_t fault_vfs_injected_count(fault_vfs *vfs);

/// The number of calls in `mask` since the last `fault_vfs_reset_counts`.
int64_t fault_vfs_call_count(fault_vfs *vfs, int mask);
void fault_vfs_reset_counts(fault_vfs *vfs);

/// The total time for which SQLite has requested to sleep, in microseconds. The file system does not sleep.
int64_t fault_vfs_slept(fault_vfs *vfs);

/// Sets a function that is called before each read, write, sync or unfetch in `mask` on a database file; also on its
/// journal and log if `of_all_files`. It may use other connections. NULL removes it.
void fault_vfs_on_call(
    fault_vfs *vfs, int mask, int of_all_files, void (*function)(void *context), void *context);

// MARK: - Recorded events

typedef enum {
  FAULT_EVENT_CREATE,
  FAULT_EVENT_WRITE,
  FAULT_EVENT_TRUNCATE,
  FAULT_EVENT_SYNC,
  FAULT_EVENT_DELETE,
  FAULT_EVENT_MARK,
} fault_event_kind;

typedef struct {
  fault_event_kind kind;
  /// The path of the file; NULL for a mark.
  const char *path;
  /// The offset of the write; the new size; the value of the mark.
  int64_t offset;
  /// The written bytes.
  const unsigned char *bytes;
  int64_t count;
  /// Whether the folder was also synchronized.
  int syncs_folder;
} fault_event;

/// Starts recording events.
void fault_vfs_record(fault_vfs *vfs);

/// Makes syncs have no effect, as on a disk that ignores them: they are not recorded.
void fault_vfs_lie(fault_vfs *vfs, int lies);

/// Records a mark, such as an acknowledged commit.
void fault_vfs_mark(fault_vfs *vfs, int64_t value);

/// The number of events. They remain valid until `fault_vfs_destroy`.
int64_t fault_vfs_event_count(fault_vfs *vfs);
fault_event fault_vfs_event_at(fault_vfs *vfs, int64_t index);

#endif
