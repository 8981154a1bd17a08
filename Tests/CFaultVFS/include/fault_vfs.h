// A file system for SQLite that fails when it is told to, and that writes down what a disk was asked to do.
//
// It stands between SQLite and the system's own VFS. Several can exist; each has a name, under which connections are
// opened, and a state of its own. All functions may be called from any thread.

#ifndef TIDEMARK_FAULT_VFS_H
#define TIDEMARK_FAULT_VFS_H

#include <stdint.h>

typedef struct fault_vfs fault_vfs;

/// What SQLite asks of a file system, as bits.
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

  /// Does not fail, but can be announced: a connection that makes a checkpoint gives up what it has mapped after it has
  /// looked at the log, and before it moves a frame.
  FAULT_UNFETCH = 1 << 11,
};

// MARK: - Life

/// Registers a file system. NULL when there is no memory, or no system below.
fault_vfs *fault_vfs_create(const char *name);

/// Takes it away. No connection may use it any more.
void fault_vfs_destroy(fault_vfs *vfs);

// MARK: - Faults

/// Has a call fail: the one of number `nth`, counted from 1 among those in `mask` from now on; when `persists`, all the
/// later ones in `mask`, too.
///
/// `code` is what SQLite is told, 0 for the one that the system's VFS has for this kind of call. When `tears`, a write
/// is half done first.
void fault_vfs_arm(fault_vfs *vfs, int mask, int64_t nth, int persists, int code, int tears);

/// Has no call fail any more.
void fault_vfs_disarm(fault_vfs *vfs);

/// How many calls have failed since `fault_vfs_arm`.
int64_t fault_vfs_injected_count(fault_vfs *vfs);

/// How many calls in `mask` there were since the last `fault_vfs_reset_counts`.
int64_t fault_vfs_call_count(fault_vfs *vfs, int mask);
void fault_vfs_reset_counts(fault_vfs *vfs);

/// For how many microseconds SQLite wanted to sleep. It does not: the time is only counted.
int64_t fault_vfs_slept(fault_vfs *vfs);

/// Has a function called before each call in `mask` on the file of a database (not its journal or log). It may use
/// other connections. NULL for none.
void fault_vfs_on_call(fault_vfs *vfs, int mask, void (*function)(void *context), void *context);

// MARK: - What the disk was asked to do

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
  /// Where it was written; the new size; the value of the mark.
  int64_t offset;
  /// What was written.
  const unsigned char *bytes;
  int64_t count;
  /// Whether the folder was synchronized, too.
  int syncs_folder;
} fault_event;

/// Begins to write events down.
void fault_vfs_record(fault_vfs *vfs);

/// Has syncs do nothing, as on a disk that lies: they are not written down.
void fault_vfs_lie(fault_vfs *vfs, int lies);

/// Writes down that something has happened, such as a commit that was acknowledged.
void fault_vfs_mark(fault_vfs *vfs, int64_t value);

/// How many events there are. They stay where they are until `fault_vfs_destroy`.
int64_t fault_vfs_event_count(fault_vfs *vfs);
fault_event fault_vfs_event_at(fault_vfs *vfs, int64_t index);

#endif
