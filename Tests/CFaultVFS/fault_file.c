// The methods of an open file: each one asks for its outcome, and then calls the method of the underlying file.

#include "fault_state.h"

static fault_file *the(sqlite3_file *file) { return (fault_file *)file; }

static int file_close(sqlite3_file *file) {
  // The system's VFS always closes a file.
  return the(file)->real->pMethods ? the(file)->real->pMethods->xClose(the(file)->real) : SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  fault_announce(the(file), FAULT_READ);
  int code = fault_judge(the(file)->vfs, FAULT_READ, NULL);
  return code ? code : the(file)->real->pMethods->xRead(the(file)->real, bytes, count, offset);
}

static int write_through(fault_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = file->real->pMethods->xWrite(file->real, bytes, count, offset);
  if (code == SQLITE_OK && file->path) {
    fault_event_add(file->vfs, FAULT_EVENT_WRITE, file->path, offset, bytes, count, 0);
  }
  return code;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int tears = 0;
  fault_announce(the(file), FAULT_WRITE);
  int code = fault_judge(the(file)->vfs, FAULT_WRITE, &tears);
  if (code && tears && count > 1) (void)write_through(the(file), bytes, count / 2, offset);
  return code ? code : write_through(the(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = fault_judge(the(file)->vfs, FAULT_TRUNCATE, NULL);
  if (code == SQLITE_OK) code = the(file)->real->pMethods->xTruncate(the(file)->real, size);
  if (code == SQLITE_OK && the(file)->path) {
    fault_event_add(the(file)->vfs, FAULT_EVENT_TRUNCATE, the(file)->path, size, NULL, 0, 0);
  }
  return code;
}

static int file_sync(sqlite3_file *file, int flags) {
  fault_announce(the(file), FAULT_SYNC);
  int code = fault_judge(the(file)->vfs, FAULT_SYNC, NULL);
  if (code || fault_lies(the(file)->vfs)) return code;
  code = the(file)->real->pMethods->xSync(the(file)->real, flags);
  if (code == SQLITE_OK && the(file)->path) {
    fault_event_add(
        the(file)->vfs, FAULT_EVENT_SYNC, the(file)->path, 0, NULL, 0, the(file)->will_sync_folder);
    the(file)->will_sync_folder = 0;
  }
  return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  int code = fault_judge(the(file)->vfs, FAULT_FILE_SIZE, NULL);
  return code ? code : the(file)->real->pMethods->xFileSize(the(file)->real, size);
}

static int file_lock(sqlite3_file *file, int level) {
  int code = fault_judge(the(file)->vfs, FAULT_LOCK, NULL);
  return code ? code : the(file)->real->pMethods->xLock(the(file)->real, level);
}

// Unlocking never fails on a real system, so it does not fail here.
static int file_unlock(sqlite3_file *file, int level) {
  return the(file)->real->pMethods->xUnlock(the(file)->real, level);
}

static int file_check_reserved_lock(sqlite3_file *file, int *is_reserved) {
  int code = fault_judge(the(file)->vfs, FAULT_LOCK, NULL);
  return code ? code : the(file)->real->pMethods->xCheckReservedLock(the(file)->real, is_reserved);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return the(file)->real->pMethods->xFileControl(the(file)->real, operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
  return the(file)->real->pMethods->xSectorSize(the(file)->real);
}

static int file_characteristics(sqlite3_file *file) {
  return the(file)->real->pMethods->xDeviceCharacteristics(the(file)->real);
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  int code = fault_judge(the(file)->vfs, FAULT_SHM_MAP, NULL);
  if (code) {
    *memory = 0;
    return code;
  }
  return the(file)->real->pMethods->xShmMap(the(file)->real, page, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  int code = flags & SQLITE_SHM_LOCK ? fault_judge(the(file)->vfs, FAULT_SHM_LOCK, NULL) : SQLITE_OK;
  return code ? code : the(file)->real->pMethods->xShmLock(the(file)->real, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) {
  the(file)->real->pMethods->xShmBarrier(the(file)->real);
}

static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return the(file)->real->pMethods->xShmUnmap(the(file)->real, deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  return the(file)->real->pMethods->xFetch(the(file)->real, offset, count, memory);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  fault_announce(the(file), FAULT_UNFETCH);
  return the(file)->real->pMethods->xUnfetch(the(file)->real, offset, memory);
}

#define METHODS(version)                                                                                        \
  {                                                                                                             \
    version, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,    \
        file_check_reserved_lock, file_control, file_sector_size, file_characteristics, file_shm_map,           \
        file_shm_lock, file_shm_barrier, file_shm_unmap, file_fetch, file_unfetch                               \
  }

const sqlite3_io_methods *fault_methods(int version) {
  static const sqlite3_io_methods methods[] = {METHODS(1), METHODS(2), METHODS(3)};
  return &methods[version < 1 ? 0 : version > 3 ? 2 : version - 1];
}
