#include "CFeed.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// Declared in SQLite's header only if it is built with the hook.
void *sqlite3_preupdate_hook(
    sqlite3 *, void (*)(void *, sqlite3 *, int, const char *, const char *, sqlite3_int64, sqlite3_int64), void *);
int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **);
int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **);
int sqlite3_preupdate_count(sqlite3 *);

struct feed_database {
  sqlite3 *db;
  sqlite3_stmt *begin, *update, *update_all, *commit, *insert;
  int has_feed;
  int64_t version;
  uint8_t *bytes;
  size_t count, capacity;
};

static uint8_t *reserve(feed_database *feed, size_t more) {
  if (feed->count + more > feed->capacity) {
    feed->capacity = 2 * (feed->count + more);
    feed->bytes = realloc(feed->bytes, feed->capacity);
  }
  return feed->bytes + feed->count;
}

static void append_number(feed_database *feed, uint64_t number) {
  uint8_t *bytes = reserve(feed, 10);
  size_t count = 0;
  for (; number >= 0x80; number >>= 7) bytes[count++] = (uint8_t)number | 0x80;
  bytes[count++] = (uint8_t)number;
  feed->count += count;
}

static void append_bytes(feed_database *feed, const void *source, size_t count) {
  memcpy(reserve(feed, count), source, count);
  feed->count += count;
}

static void append_value(feed_database *feed, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  switch (type) {
  case SQLITE_INTEGER: {
    int64_t number = sqlite3_value_int64(value);
    int size = 0;
    for (int64_t rest = number < 0 ? ~number : number; rest; rest >>= 8) size++;
    append_number(feed, (uint64_t)size << 3 | 1);
    append_bytes(feed, &number, (size_t)size);
    break;
  }
  case SQLITE_FLOAT: {
    double number = sqlite3_value_double(value);
    append_number(feed, 2);
    append_bytes(feed, &number, 8);
    break;
  }
  case SQLITE_TEXT:
  case SQLITE_BLOB: {
    const void *source = type == SQLITE_TEXT ? (const void *)sqlite3_value_text(value) : sqlite3_value_blob(value);
    size_t size = (size_t)sqlite3_value_bytes(value);
    append_number(feed, (uint64_t)size << 3 | (type == SQLITE_TEXT ? 3 : 4));
    append_bytes(feed, source, size);
    break;
  }
  default: append_number(feed, 0);
  }
}

static int is_same(sqlite3_value *one, sqlite3_value *two) {
  int type = sqlite3_value_type(one);
  if (type != sqlite3_value_type(two)) return 0;
  switch (type) {
  case SQLITE_INTEGER: return sqlite3_value_int64(one) == sqlite3_value_int64(two);
  case SQLITE_FLOAT: return sqlite3_value_double(one) == sqlite3_value_double(two);
  case SQLITE_NULL: return 1;
  default: {
    const void *first = sqlite3_value_blob(one), *second = sqlite3_value_blob(two);
    int count = sqlite3_value_bytes(one);
    return count == sqlite3_value_bytes(two) && memcmp(first, second, (size_t)count) == 0;
  }
  }
}

static void row_will_change(
    void *context, sqlite3 *db, int operation, const char *database, const char *table, sqlite3_int64 old_id,
    sqlite3_int64 new_id) {
  feed_database *feed = context;
  (void)database, (void)new_id;
  // The table of the feed is not part of it.
  if (operation != SQLITE_UPDATE || table[0] != 'i') return;
  int count = sqlite3_preupdate_count(db);
  uint8_t mask = 0;
  sqlite3_value *values[8];
  append_number(feed, 3);
  append_number(feed, (uint64_t)old_id << 1);
  for (int index = 1; index < count; index++) {
    sqlite3_value *old;
    sqlite3_preupdate_old(db, index, &old);
    sqlite3_preupdate_new(db, index, &values[index]);
    append_value(feed, old);
    if (!is_same(old, values[index])) mask |= 1 << index;
  }
  append_bytes(feed, &mask, 1);
  for (int index = 1; index < count; index++) {
    if (mask & 1 << index) append_value(feed, values[index]);
  }
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  return statement;
}

feed_database *feed_open(const char *path, int has_feed) {
  feed_database *feed = calloc(1, sizeof(feed_database));
  feed->has_feed = has_feed;
  if (sqlite3_open(path, &feed->db)) return NULL;
  int code = sqlite3_exec(
      feed->db,
      "PRAGMA journal_mode = wal; PRAGMA synchronous = normal;"
      "CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER, d REAL, e INTEGER);"
      "CREATE TABLE feed (id INTEGER PRIMARY KEY, changes BLOB NOT NULL);"
      "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)"
      "INSERT INTO item SELECT n, 'name of ' || n, 'a longer text of ' || n, n, n * 0.5, 0 FROM number;",
      NULL, NULL, NULL);
  if (code) return NULL;
  feed->begin = prepare(feed->db, "BEGIN IMMEDIATE");
  feed->update = prepare(feed->db, "UPDATE item SET b = ?, c = c + 1, e = ? WHERE id = ?");
  feed->update_all = prepare(feed->db, "UPDATE item SET c = c + 1, e = e + 1");
  feed->commit = prepare(feed->db, "COMMIT");
  feed->insert = prepare(feed->db, "INSERT INTO feed VALUES (?, ?)");
  if (has_feed) sqlite3_preupdate_hook(feed->db, row_will_change, feed);
  return feed;
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int commit(feed_database *feed) {
  if (feed->has_feed) {
    sqlite3_bind_int64(feed->insert, 1, ++feed->version);
    sqlite3_bind_blob64(feed->insert, 2, feed->bytes, feed->count, SQLITE_STATIC);
    int code = run(feed->insert);
    if (code) return code;
  }
  return run(feed->commit);
}

int feed_update(feed_database *feed, int64_t id, int64_t value, const char *text, int length) {
  feed->count = 0;
  int code = run(feed->begin);
  if (code) return code;
  sqlite3_bind_text(feed->update, 1, text, length, SQLITE_STATIC);
  sqlite3_bind_int64(feed->update, 2, value);
  sqlite3_bind_int64(feed->update, 3, id);
  if ((code = run(feed->update))) return code;
  return commit(feed);
}

int feed_update_all(feed_database *feed, int count) {
  feed->count = 0;
  int code = run(feed->begin);
  for (int pass = 0; pass < count && !code; pass++) code = run(feed->update_all);
  return code ? code : commit(feed);
}

void feed_close(feed_database *feed) {
  sqlite3_stmt *statements[] = {feed->begin, feed->update, feed->update_all, feed->commit, feed->insert};
  for (int index = 0; index < 5; index++) sqlite3_finalize(statements[index]);
  sqlite3_close(feed->db);
  free(feed->bytes);
  free(feed);
}
