#include "CFeed.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
  // The header of the last entry: a digest, the number of bytes of all entries, and the state of the file, which this
  // program does not read.
  uint64_t digest[2], byte_count;
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

// SipHash-2-4 with a result of 128 bits, like the digests of the library: the key is the former digest.
#define ROTATE(x, b) (uint64_t)((x) << (b) | (x) >> (64 - (b)))
#define ROUND \
  (v0 += v1, v1 = ROTATE(v1, 13) ^ v0, v0 = ROTATE(v0, 32), v2 += v3, v3 = ROTATE(v3, 16) ^ v2, v0 += v3, \
   v3 = ROTATE(v3, 21) ^ v0, v2 += v1, v1 = ROTATE(v1, 17) ^ v2, v2 = ROTATE(v2, 32))

static void digest(feed_database *feed) {
  uint64_t v0 = feed->digest[0] ^ 0x736f6d6570736575, v1 = feed->digest[1] ^ 0x646f72616e646f6d ^ 0xee;
  uint64_t v2 = feed->digest[0] ^ 0x6c7967656e657261, v3 = feed->digest[1] ^ 0x7465646279746573;
  uint64_t word = (uint64_t)feed->version;
  size_t position = 0;
  for (;;) {
    v3 ^= word, ROUND, ROUND, v0 ^= word;
    if (position + 8 > feed->count) break;
    memcpy(&word, feed->bytes + position, 8);
    position += 8;
  }
  word = (uint64_t)(feed->count + 8) << 56;
  memcpy(&word, feed->bytes + position, feed->count - position);
  v3 ^= word, ROUND, ROUND, v0 ^= word;
  v2 ^= 0xee, ROUND, ROUND, ROUND, ROUND;
  feed->digest[0] = v0 ^ v1 ^ v2 ^ v3;
  v1 ^= 0xdd, ROUND, ROUND, ROUND, ROUND;
  feed->digest[1] = v0 ^ v1 ^ v2 ^ v3;
}

// The head of an entry: the version, the time, and the description of the table.
static void append_head(feed_database *feed) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  append_number(feed, 1);
  append_number(feed, (uint64_t)feed->version + 1);
  append_number(feed, 0);
  append_number(feed, (uint64_t)(now.tv_sec * 1000000 + now.tv_nsec / 1000) << 1);
  append_number(feed, 0);
  append_number(feed, 0);
  static const char description[] = "\1\4main\4item\1\6\2id\1a\1b\1c\1d\1e\1\0";
  append_bytes(feed, description, sizeof description);
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
  append_number(feed, 0);
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
      "CREATE TABLE feed (id INTEGER PRIMARY KEY, header BLOB NOT NULL, changes BLOB NOT NULL);"
      "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)"
      "INSERT INTO item SELECT n, 'name of ' || n, 'a longer text of ' || n, n, n * 0.5, 0 FROM number;",
      NULL, NULL, NULL);
  if (code) return NULL;
  feed->begin = prepare(feed->db, "BEGIN IMMEDIATE");
  feed->update = prepare(feed->db, "UPDATE item SET b = ?, c = c + 1, e = ? WHERE id = ?");
  feed->update_all = prepare(feed->db, "UPDATE item SET c = c + 1, e = e + 1");
  feed->commit = prepare(feed->db, "COMMIT");
  feed->insert = prepare(feed->db, "INSERT INTO feed VALUES (?, ?, ?)");
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
    uint8_t header[41] = {0};
    digest(feed);
    feed->byte_count += feed->count;
    memcpy(header, feed->digest, 16);
    memcpy(header + 16, &feed->byte_count, 8);
    sqlite3_bind_int64(feed->insert, 1, feed->version << 20);
    sqlite3_bind_blob64(feed->insert, 2, header, sizeof header, SQLITE_STATIC);
    sqlite3_bind_blob64(feed->insert, 3, feed->bytes, feed->count, SQLITE_STATIC);
    int code = run(feed->insert);
    if (code) return code;
  }
  return run(feed->commit);
}

static void begin_entry(feed_database *feed) {
  feed->count = 0;
  feed->version++;
  if (feed->has_feed) append_head(feed);
}

static int update(feed_database *feed, int64_t id, int64_t value, const char *text, int length) {
  begin_entry(feed);
  int code = run(feed->begin);
  if (code) return code;
  sqlite3_bind_text(feed->update, 1, text, length, SQLITE_STATIC);
  sqlite3_bind_int64(feed->update, 2, value);
  sqlite3_bind_int64(feed->update, 3, id);
  if ((code = run(feed->update))) return code;
  return commit(feed);
}

int feed_update_series(feed_database *feed, int round, int count) {
  int code = 0;
  for (int number = 0; number < count && !code; number++) {
    char text[32];
    int length = snprintf(text, sizeof text, "changed %d", number);
    code = update(feed, 1 + ((int64_t)round * count + number) * 7919 % 10000, number, text, length);
  }
  return code;
}

int feed_update_all(feed_database *feed, int count) {
  begin_entry(feed);
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
