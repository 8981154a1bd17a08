#include "fault_state.h"

#include <stdlib.h>
#include <string.h>

// The error codes of the system's own VFS.
static int natural_code(int kind) {
  switch (kind) {
    case FAULT_OPEN: return SQLITE_CANTOPEN;
    case FAULT_READ: return SQLITE_IOERR_READ;
    case FAULT_WRITE: return SQLITE_IOERR_WRITE;
    case FAULT_SYNC: return SQLITE_IOERR_FSYNC;
    case FAULT_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case FAULT_DELETE: return SQLITE_IOERR_DELETE;
    case FAULT_FILE_SIZE: return SQLITE_IOERR_FSTAT;
    case FAULT_LOCK: return SQLITE_IOERR_LOCK;
    case FAULT_SHM_MAP: return SQLITE_IOERR_SHMMAP;
    case FAULT_SHM_LOCK: return SQLITE_IOERR_SHMLOCK;
    case FAULT_ACCESS: return SQLITE_IOERR_ACCESS;
    default: return SQLITE_IOERR;
  }
}

int fault_judge(fault_vfs *vfs, int kind, int *tears) {
  int code = SQLITE_OK;
  pthread_mutex_lock(&vfs->lock);
  vfs->counts[__builtin_ctz((unsigned)kind)]++;
  if (vfs->mask & kind) {
    vfs->seen++;
    if (vfs->seen == vfs->nth || (vfs->persists && vfs->seen > vfs->nth)) {
      vfs->injected++;
      code = vfs->code ? vfs->code : natural_code(kind);
      if (tears) *tears = vfs->tears;
    }
  }
  pthread_mutex_unlock(&vfs->lock);
  return code;
}

int fault_lies(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  int lies = vfs->lies;
  pthread_mutex_unlock(&vfs->lock);
  return lies;
}

void fault_announce(fault_file *file, int kind) {
  fault_vfs *vfs = file->vfs;
  pthread_mutex_lock(&vfs->lock);
  int is_announced = vfs->call_mask & kind && (file->is_database || vfs->announces_all_files);
  void (*function)(void *) = is_announced ? vfs->function : NULL;
  void *context = vfs->context;
  pthread_mutex_unlock(&vfs->lock);
  // Call it without the lock: it may use connections of this file system.
  if (function) function(context);
}

void fault_event_add(
    fault_vfs *vfs, fault_event_kind kind, const char *path, int64_t offset, const void *bytes, int64_t count,
    int syncs_folder) {
  pthread_mutex_lock(&vfs->lock);
  if (vfs->records) {
    if (vfs->event_count == vfs->event_capacity) {
      int64_t capacity = vfs->event_capacity ? 2 * vfs->event_capacity : 256;
      fault_event *events = realloc(vfs->events, (size_t)capacity * sizeof(fault_event));
      // A trace with a missing event would prove nothing.
      if (!events) abort();
      vfs->events = events;
      vfs->event_capacity = capacity;
    }
    unsigned char *copy = NULL;
    if (bytes) {
      copy = malloc((size_t)count);
      if (!copy) abort();
      memcpy(copy, bytes, (size_t)count);
    }
    char *name = path ? strdup(path) : NULL;
    if (path && !name) abort();
    vfs->events[vfs->event_count++] = (fault_event){kind, name, offset, copy, count, syncs_folder};
  }
  pthread_mutex_unlock(&vfs->lock);
}

// MARK: - Interface for tests

void fault_vfs_arm(fault_vfs *vfs, int mask, int64_t nth, int persists, int code, int tears) {
  pthread_mutex_lock(&vfs->lock);
  vfs->mask = mask;
  vfs->nth = nth;
  vfs->persists = persists;
  vfs->code = code;
  vfs->tears = tears;
  vfs->seen = 0;
  vfs->injected = 0;
  pthread_mutex_unlock(&vfs->lock);
}

void fault_vfs_disarm(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  vfs->mask = 0;
  pthread_mutex_unlock(&vfs->lock);
}

int64_t fault_vfs_injected_count(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  int64_t count = vfs->injected;
  pthread_mutex_unlock(&vfs->lock);
  return count;
}

int64_t fault_vfs_call_count(fault_vfs *vfs, int mask) {
  int64_t count = 0;
  pthread_mutex_lock(&vfs->lock);
  for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
    if (mask & (1 << kind)) count += vfs->counts[kind];
  }
  pthread_mutex_unlock(&vfs->lock);
  return count;
}

void fault_vfs_reset_counts(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  memset(vfs->counts, 0, sizeof vfs->counts);
  pthread_mutex_unlock(&vfs->lock);
}

int64_t fault_vfs_slept(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  int64_t slept = vfs->slept;
  pthread_mutex_unlock(&vfs->lock);
  return slept;
}

void fault_vfs_on_call(
    fault_vfs *vfs, int mask, int of_all_files, void (*function)(void *), void *context) {
  pthread_mutex_lock(&vfs->lock);
  vfs->call_mask = mask;
  vfs->announces_all_files = of_all_files;
  vfs->function = function;
  vfs->context = context;
  pthread_mutex_unlock(&vfs->lock);
}

void fault_vfs_record(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  vfs->records = 1;
  pthread_mutex_unlock(&vfs->lock);
}

void fault_vfs_lie(fault_vfs *vfs, int lies) {
  pthread_mutex_lock(&vfs->lock);
  vfs->lies = lies;
  pthread_mutex_unlock(&vfs->lock);
}

void fault_vfs_mark(fault_vfs *vfs, int64_t value) {
  fault_event_add(vfs, FAULT_EVENT_MARK, NULL, value, NULL, 0, 0);
}

int64_t fault_vfs_event_count(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->lock);
  int64_t count = vfs->event_count;
  pthread_mutex_unlock(&vfs->lock);
  return count;
}

fault_event fault_vfs_event_at(fault_vfs *vfs, int64_t index) {
  pthread_mutex_lock(&vfs->lock);
  fault_event event = vfs->events[index];
  pthread_mutex_unlock(&vfs->lock);
  return event;
}
