#ifndef BASELINE_SUPPORT_H
#define BASELINE_SUPPORT_H

#include "CBaseline.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// MARK: Values

typedef struct {
  char *bytes;
  int count;
} text;

typedef struct {
  void *bytes;
  int count;
} blob;

typedef struct {
  int64_t id;
  text name;
  int64_t score;
  double ratio;
  blob data;
  double date;
} item;

/// Copies bytes into a block of their own, and adds a zero.
static inline void *copy_bytes(const void *bytes, int count) {
  char *copy = malloc((size_t)count + 1);
  if (!copy) abort();
  if (count) memcpy(copy, bytes, (size_t)count);
  copy[count] = 0;
  return copy;
}

static inline text copy_text(sqlite3_stmt *statement, int column) {
  const unsigned char *bytes = sqlite3_column_text(statement, column);
  int count = sqlite3_column_bytes(statement, column);
  return (text){copy_bytes(bytes, count), count};
}

static inline blob copy_blob(sqlite3_stmt *statement, int column) {
  const void *bytes = sqlite3_column_blob(statement, column);
  int count = sqlite3_column_bytes(statement, column);
  return (blob){copy_bytes(bytes, count), count};
}

/// Returns the seconds since 1970 of a date like `2023-11-14 22:13:20.123`, or -1 for a text of another length.
///
/// The program has written the date itself, so it does not check the characters.
double parse_date(const unsigned char *text, int count);

/// Writes a date from the years 0 to 9999, with its terminating zero.
void format_date(double date, char text[24]);

/// Reads the six columns of the current row.
static inline item read_item(sqlite3_stmt *statement) {
  item item;
  item.id = sqlite3_column_int64(statement, 0);
  item.name = copy_text(statement, 1);
  item.score = sqlite3_column_int64(statement, 2);
  item.ratio = sqlite3_column_double(statement, 3);
  item.data = copy_blob(statement, 4);
  const unsigned char *date = sqlite3_column_text(statement, 5);
  item.date = parse_date(date, sqlite3_column_bytes(statement, 5));
  return item;
}

static inline void free_item(item *item) {
  free(item->name.bytes);
  free(item->data.bytes);
}

/// Makes the compiler assume that a value is used, so that it does not remove the code that produces it.
#define USE(value) __asm__ volatile("" : : "r"(value) : "memory")

// MARK: Arrays

/// Appends an element to an array with the variables `elements`, `count` and `capacity`, which grows by doubling.
#define APPEND(elements, count, capacity, element) \
  do { \
    if ((count) == (capacity)) { \
      (capacity) = (capacity) ? 2 * (capacity) : 16; \
      (elements) = realloc((elements), (size_t)(capacity) * sizeof *(elements)); \
      if (!(elements)) abort(); \
    } \
    (elements)[(count)++] = (element); \
  } while (0)

// MARK: Statements

/// Returns a prepared statement, or a null pointer. SQLite accepts a null pointer as a statement, and reports misuse.
static inline sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  return statement;
}

/// Steps to the row that a statement must have. A statement without a row is an error.
static inline int step_to_row(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  return code == SQLITE_ROW ? SQLITE_OK : code == SQLITE_DONE ? SQLITE_NOTFOUND : code;
}

/// Executes a statement that returns no rows.
static inline int execute(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static inline int execute_sql(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

/// Frees a statement. Returns the result of a function: the count, or a code other than `SQLITE_OK` and `SQLITE_DONE`.
static inline int64_t finish(sqlite3_stmt *statement, int code, int64_t count) {
  sqlite3_finalize(statement);
  return code == SQLITE_OK || code == SQLITE_DONE ? count : -(int64_t)code;
}

#endif
