#include "support.h"

// All rows of a table, as arrays of structures.

// MARK: Structures

typedef struct {
  item *elements;
  int64_t count, capacity;
} items;

static void free_items(items *items) {
  for (int64_t index = 0; index < items->count; index++) free_item(&items->elements[index]);
  free(items->elements);
}

int64_t baseline_read_items(sqlite3 *db) {
  sqlite3_stmt *statement = prepare(db, "SELECT * FROM item");
  items items = {0};
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    APPEND(items.elements, items.count, items.capacity, read_item(statement));
  }
  free_items(&items);
  return finish(statement, code, items.count);
}

int64_t baseline_visit_items(sqlite3 *db) {
  sqlite3_stmt *statement = prepare(db, "SELECT * FROM item");
  int64_t count = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    item item = read_item(statement);
    USE(&item);
    free_item(&item);
    count++;
  }
  return finish(statement, code, count);
}

typedef struct {
  int64_t id;
  text name;
  int64_t score;
  double ratio;
} small_item;

int64_t baseline_read_small_items(sqlite3 *db) {
  sqlite3_stmt *statement = prepare(db, "SELECT id, name, score, ratio FROM item");
  small_item *items = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    small_item item;
    item.id = sqlite3_column_int64(statement, 0);
    item.name = copy_text(statement, 1);
    item.score = sqlite3_column_int64(statement, 2);
    item.ratio = sqlite3_column_double(statement, 3);
    APPEND(items, count, capacity, item);
  }
  for (int64_t index = 0; index < count; index++) free(items[index].name.bytes);
  free(items);
  return finish(statement, code, count);
}

int64_t baseline_read_pages(sqlite3 *db, int64_t first, int64_t count) {
  sqlite3_stmt *begin = prepare(db, "BEGIN"), *commit = prepare(db, "COMMIT");
  sqlite3_stmt *statement = prepare(db, "SELECT * FROM item WHERE id >= ? ORDER BY id LIMIT 50");
  int code = SQLITE_OK;
  for (int64_t number = 0; number < count && !code; number++) {
    items items = {0};
    if ((code = execute(begin))) break;
    sqlite3_bind_int64(statement, 1, 1 + (first + number) % 9000);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      APPEND(items.elements, items.count, items.capacity, read_item(statement));
    }
    sqlite3_reset(statement);
    int is_complete = code == SQLITE_DONE && items.count == 50;
    free_items(&items);
    code = is_complete ? execute(commit) : SQLITE_ERROR;
  }
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return finish(statement, code, count);
}

// MARK: Rows of unknown columns

typedef struct {
  int type;
  int count;
  union {
    int64_t integer;
    double number;
    const char *bytes;
  };
} value;

/// A row in one memory block: the values, then their texts and blobs.
typedef struct {
  int count;
  value values[];
} row;

static row *copy_row(sqlite3_stmt *statement, int count) {
  size_t size = sizeof(row) + (size_t)count * sizeof(value);
  for (int index = 0; index < count; index++) {
    int type = sqlite3_column_type(statement, index);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) size += (size_t)sqlite3_column_bytes(statement, index) + 1;
  }
  row *row = malloc(size);
  if (!row) abort();
  row->count = count;
  char *end = (char *)&row->values[count];
  for (int index = 0; index < count; index++) {
    value *value = &row->values[index];
    value->type = sqlite3_column_type(statement, index);
    value->count = 0;
    switch (value->type) {
    case SQLITE_INTEGER: value->integer = sqlite3_column_int64(statement, index); break;
    case SQLITE_FLOAT: value->number = sqlite3_column_double(statement, index); break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const void *bytes = sqlite3_column_blob(statement, index);
      value->count = sqlite3_column_bytes(statement, index);
      value->bytes = end;
      if (value->count) memcpy(end, bytes, (size_t)value->count);
      end[value->count] = 0;
      end += value->count + 1;
      break;
    }
    default: value->integer = 0;
    }
  }
  return row;
}

int64_t baseline_read_rows(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  int columns = sqlite3_column_count(statement);
  row **rows = NULL;
  int64_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    APPEND(rows, count, capacity, copy_row(statement, columns));
  }
  for (int64_t index = 0; index < count; index++) free(rows[index]);
  free(rows);
  return finish(statement, code, count);
}
