#include "support.h"

#include <stdio.h>

// Rows that are written one by one, in one transaction or in several.

/// The texts and bytes of the items, which stay in memory.
static struct {
  char names[64][32];
  int lengths[64];
  uint8_t data[32];
} samples;

/// Like the library, the loops format the date of each item.
static const double sample_date = 1700000000.123;

static void make_samples(void) {
  for (int index = 0; index < 64; index++) {
    samples.lengths[index] = snprintf(samples.names[index], sizeof samples.names[index], "the name of item %d", index);
  }
  for (int index = 0; index < 32; index++) samples.data[index] = (uint8_t)index;
}

/// Binds the values of an item: the ID to the parameter `id`, the others from the parameter `others` on.
///
/// `date` receives the text of the date, and must stay valid until the statement is reset.
static void bind_item(sqlite3_stmt *statement, int64_t number, int id, int others, char date[24]) {
  int sample = (int)(number & 63);
  sqlite3_bind_int64(statement, id, number);
  sqlite3_bind_text(statement, others, samples.names[sample], samples.lengths[sample], SQLITE_STATIC);
  sqlite3_bind_int64(statement, others + 1, number);
  sqlite3_bind_double(statement, others + 2, (double)number);
  sqlite3_bind_blob(statement, others + 3, samples.data, sizeof samples.data, SQLITE_STATIC);
  format_date(sample_date, date);
  sqlite3_bind_text(statement, others + 4, date, 23, SQLITE_STATIC);
}

static int64_t write_items(sqlite3 *db, const char *sql, int64_t count, int id, int others) {
  make_samples();
  char date[24];
  int code = execute_sql(db, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement = prepare(db, sql);
  for (int64_t number = 1; number <= count && !code; number++) {
    bind_item(statement, number, id, others, date);
    code = execute(statement);
  }
  int64_t result = finish(statement, code, count);
  return (code = execute_sql(db, "COMMIT")) ? -code : result;
}

#define INSERT "INSERT INTO item (id, name, score, ratio, data, date) VALUES (?, ?, ?, ?, ?, ?)"

int64_t baseline_insert(sqlite3 *db, int64_t count) { return write_items(db, INSERT, count, 1, 2); }

int64_t baseline_update(sqlite3 *db, int64_t count) {
  return write_items(db, "UPDATE item SET name=?, score=?, ratio=?, data=?, date=? WHERE id=?", count, 6, 1);
}

// MARK: Rows that are read back

static void read_nothing_but_id(sqlite3_stmt *statement) {
  int64_t id = sqlite3_column_int64(statement, 0);
  USE(id);
}

static void read_all(sqlite3_stmt *statement) {
  item item = read_item(statement);
  USE(&item);
  free_item(&item);
}

static int64_t write_and_read(sqlite3 *db, const char *sql, int64_t count, void (*read)(sqlite3_stmt *)) {
  make_samples();
  char date[24];
  int code = execute_sql(db, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement = prepare(db, sql);
  for (int64_t number = 1; number <= count && !code; number++) {
    bind_item(statement, number, 1, 2, date);
    if ((code = step_to_row(statement))) break;
    read(statement);
    code = execute(statement);
  }
  int64_t result = finish(statement, code, count);
  return (code = execute_sql(db, "COMMIT")) ? -code : result;
}

int64_t baseline_insert_and_fetch(sqlite3 *db, int64_t count) {
  return write_and_read(db, INSERT " RETURNING *", count, read_all);
}

int64_t baseline_upsert(sqlite3 *db, int64_t count) {
  static const char sql[] = INSERT
      " ON CONFLICT DO UPDATE SET name = excluded.name, score = excluded.score, ratio = excluded.ratio,"
      " data = excluded.data, date = excluded.date RETURNING rowid";
  return write_and_read(db, sql, count, read_nothing_but_id);
}

// MARK: Transactions

int64_t baseline_insert_in_transactions(sqlite3 *db, int64_t count, int64_t rows_per_transaction) {
  sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *commit = prepare(db, "COMMIT");
  sqlite3_stmt *open = prepare(db, "SAVEPOINT s"), *release = prepare(db, "RELEASE s");
  sqlite3_stmt *insert = prepare(db, "INSERT INTO item VALUES (?, 'the name of item')");
  int has_savepoints = rows_per_transaction > 1, code = SQLITE_OK;
  for (int64_t number = 0; number < count && !code; number++) {
    int64_t position = number % rows_per_transaction;
    if (position == 0 && (code = execute(begin))) break;
    if (has_savepoints && (code = execute(open))) break;
    sqlite3_bind_int64(insert, 1, number);
    if ((code = execute(insert))) break;
    if (has_savepoints && (code = execute(release))) break;
    if (position == rows_per_transaction - 1 || number == count - 1) code = execute(commit);
  }
  sqlite3_stmt *others[] = {begin, commit, open, release};
  for (int index = 0; index < 4; index++) sqlite3_finalize(others[index]);
  return finish(insert, code, count);
}

int64_t baseline_write_transactions(sqlite3 *db, int64_t count) {
  sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *commit = prepare(db, "COMMIT");
  sqlite3_stmt *update = prepare(db, "UPDATE counter SET n = ? WHERE id = 1");
  int code = SQLITE_OK;
  for (int64_t number = 0; number < count && !code; number++) {
    if ((code = execute(begin))) break;
    sqlite3_bind_int64(update, 1, number);
    if ((code = execute(update))) break;
    code = execute(commit);
  }
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return finish(update, code, count);
}
