// The file system itself: opening and deleting files.

#include "fault_state.h"

#include <stdlib.h>
#include <string.h>

static fault_vfs *the(sqlite3_vfs *vfs) { return (fault_vfs *)vfs; }
static sqlite3_vfs *below(sqlite3_vfs *vfs) { return the(vfs)->real; }

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *opened, int flags, int *flags_out) {
  fault_file *file = (fault_file *)opened;
  file->base.pMethods = NULL;
  int code = fault_judge(the(vfs), FAULT_OPEN, NULL);
  if (code) return code;

  int exists = 1;
  if (path && (flags & SQLITE_OPEN_CREATE)) below(vfs)->xAccess(below(vfs), path, SQLITE_ACCESS_EXISTS, &exists);
  code = below(vfs)->xOpen(below(vfs), path, file->real, flags, flags_out);
  if (code == SQLITE_OK) {
    file->vfs = the(vfs);
    file->path = path;
    file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    file->will_sync_folder =
        !exists && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0;
    if (!exists) fault_event_add(the(vfs), FAULT_EVENT_CREATE, path, 0, NULL, 0, 0);
  }
  // SQLite closes any file with methods, even if opening it has failed.
  if (file->real->pMethods) file->base.pMethods = fault_methods(file->real->pMethods->iVersion);
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  int code = fault_judge(the(vfs), FAULT_DELETE, NULL);
  if (code == SQLITE_OK) code = below(vfs)->xDelete(below(vfs), path, syncs_folder);
  if (code == SQLITE_OK) {
    int is_durable = syncs_folder && !fault_lies(the(vfs));
    fault_event_add(the(vfs), FAULT_EVENT_DELETE, path, 0, NULL, 0, is_durable);
  }
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  int code = fault_judge(the(vfs), FAULT_ACCESS, NULL);
  return code ? code : below(vfs)->xAccess(below(vfs), path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *full) {
  return below(vfs)->xFullPathname(below(vfs), path, count, full);
}

static void *vfs_dl_open(sqlite3_vfs *vfs, const char *path) { return below(vfs)->xDlOpen(below(vfs), path); }

static void vfs_dl_error(sqlite3_vfs *vfs, int count, char *message) {
  below(vfs)->xDlError(below(vfs), count, message);
}

static void (*vfs_dl_sym(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  return below(vfs)->xDlSym(below(vfs), library, symbol);
}

static void vfs_dl_close(sqlite3_vfs *vfs, void *library) { below(vfs)->xDlClose(below(vfs), library); }

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return below(vfs)->xRandomness(below(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  pthread_mutex_lock(&the(vfs)->lock);
  the(vfs)->slept += microseconds;
  pthread_mutex_unlock(&the(vfs)->lock);
  return microseconds;
}

static int vfs_current_time(sqlite3_vfs *vfs, double *time) { return below(vfs)->xCurrentTime(below(vfs), time); }

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *message) {
  return below(vfs)->xGetLastError(below(vfs), count, message);
}

static int vfs_current_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return below(vfs)->xCurrentTimeInt64(below(vfs), time);
}

fault_vfs *fault_vfs_create(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  // Version 2 adds the time as an integer. Version 3, which replaces system calls, is not needed.
  if (!real || real->iVersion < 2) return NULL;
  fault_vfs *vfs = calloc(1, sizeof(fault_vfs));
  char *copy = strdup(name);
  if (!vfs || !copy) {
    free(vfs);
    free(copy);
    return NULL;
  }
  vfs->real = real;
  vfs->name = copy;
  pthread_mutex_init(&vfs->lock, NULL);
  vfs->base = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(fault_file) + real->szOsFile,
      .mxPathname = real->mxPathname,
      .zName = copy,
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xDlOpen = vfs_dl_open,
      .xDlError = vfs_dl_error,
      .xDlSym = vfs_dl_sym,
      .xDlClose = vfs_dl_close,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_current_time,
      .xGetLastError = vfs_last_error,
      .xCurrentTimeInt64 = vfs_current_time_64,
  };
  if (sqlite3_vfs_register(&vfs->base, 0) != SQLITE_OK) {
    pthread_mutex_destroy(&vfs->lock);
    free(copy);
    free(vfs);
    return NULL;
  }
  return vfs;
}

void fault_vfs_destroy(fault_vfs *vfs) {
  sqlite3_vfs_unregister(&vfs->base);
  for (int64_t index = 0; index < vfs->event_count; index++) {
    free((void *)vfs->events[index].path);
    free((void *)vfs->events[index].bytes);
  }
  free(vfs->events);
  pthread_mutex_destroy(&vfs->lock);
  free(vfs->name);
  free(vfs);
}
