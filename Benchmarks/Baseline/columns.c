#include "support.h"

// One column of all rows, as an array of values.

typedef struct {
  uint8_t bytes[16];
} uuid;

static uint8_t hexadecimal(unsigned char digit) {
  return digit <= '9' ? digit & 15 : (uint8_t)((digit & 15) + 9);
}

// The program has written the UUID itself, so it does not check the characters.
static uuid parse_uuid(const unsigned char *text) {
  static const uint8_t positions[16] = {0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
  uuid uuid;
  for (int index = 0; index < 16; index++) {
    const unsigned char *digits = text + positions[index];
    uuid.bytes[index] = (uint8_t)(hexadecimal(digits[0]) << 4 | hexadecimal(digits[1]));
  }
  return uuid;
}

int64_t baseline_read_integers(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  int64_t *values = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    APPEND(values, count, capacity, sqlite3_column_int64(statement, 0));
  }
  USE(values);
  free(values);
  return finish(statement, code, count);
}

int64_t baseline_read_texts(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  text *values = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    APPEND(values, count, capacity, copy_text(statement, 0));
  }
  for (int64_t index = 0; index < count; index++) free(values[index].bytes);
  free(values);
  return finish(statement, code, count);
}

int64_t baseline_read_blobs(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  blob *values = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    APPEND(values, count, capacity, copy_blob(statement, 0));
  }
  for (int64_t index = 0; index < count; index++) free(values[index].bytes);
  free(values);
  return finish(statement, code, count);
}

int64_t baseline_read_dates(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  double *values = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const unsigned char *text = sqlite3_column_text(statement, 0);
    APPEND(values, count, capacity, parse_date(text, sqlite3_column_bytes(statement, 0)));
  }
  USE(values);
  free(values);
  return finish(statement, code, count);
}

int64_t baseline_read_uuids_from_blobs(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  uuid *values = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const void *bytes = sqlite3_column_blob(statement, 0);
    uuid uuid;
    if (sqlite3_column_bytes(statement, 0) != sizeof uuid) break;
    memcpy(&uuid, bytes, sizeof uuid);
    APPEND(values, count, capacity, uuid);
  }
  USE(values);
  free(values);
  return finish(statement, code, count);
}

int64_t baseline_read_uuids_from_texts(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  uuid *values = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const unsigned char *text = sqlite3_column_text(statement, 0);
    if (sqlite3_column_bytes(statement, 0) != 36) break;
    APPEND(values, count, capacity, parse_uuid(text));
  }
  USE(values);
  free(values);
  return finish(statement, code, count);
}
