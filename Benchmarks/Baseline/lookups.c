#include "support.h"

// Single rows, and rows with their associated rows.

int64_t baseline_look_up(sqlite3 *db, int64_t count, int64_t row_count) {
  int code = execute_sql(db, "BEGIN");
  sqlite3_stmt *statement = prepare(db, "SELECT * FROM item WHERE id = ?");
  for (int64_t number = 0; number < count && !code; number++) {
    sqlite3_bind_int64(statement, 1, number * 7919 % row_count + 1);
    if ((code = step_to_row(statement))) break;
    item item = read_item(statement);
    USE(&item);
    free_item(&item);
    code = sqlite3_reset(statement);
  }
  int64_t result = finish(statement, code, count);
  return (code = execute_sql(db, "COMMIT")) ? -code : result;
}

int64_t baseline_read_transactions(sqlite3 *db, int64_t count) {
  sqlite3_stmt *begin = prepare(db, "BEGIN"), *commit = prepare(db, "COMMIT");
  sqlite3_stmt *query = prepare(db, "SELECT id FROM counter WHERE id = 1");
  int code = SQLITE_OK;
  for (int64_t number = 0; number < count && !code; number++) {
    if ((code = execute(begin))) break;
    if ((code = step_to_row(query))) break;
    int64_t id = sqlite3_column_int64(query, 0);
    sqlite3_reset(query);
    code = id == 1 ? execute(commit) : SQLITE_MISMATCH;
  }
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return finish(query, code, count);
}

// MARK: Associations

typedef struct {
  int64_t id, author_id;
  text title;
  int64_t year;
} book;

typedef struct {
  int64_t id;
  text name;
  book *books;
  int64_t count, capacity;
} author;

static int compare_authors(const void *one, const void *two) {
  int64_t first = ((const author *)one)->id, second = ((const author *)two)->id;
  return (first > second) - (first < second);
}

static book read_book(sqlite3_stmt *statement) {
  book book;
  book.id = sqlite3_column_int64(statement, 0);
  book.author_id = sqlite3_column_int64(statement, 1);
  book.title = copy_text(statement, 2);
  book.year = sqlite3_column_int64(statement, 3);
  return book;
}

/// Prepares a query of the books of some authors, and binds the IDs of the authors.
static sqlite3_stmt *prepare_books(sqlite3 *db, const author *authors, int64_t count) {
  // The library reads the additional column.
  static const char start[] = "SELECT *, authorId AS grdb_authorId FROM book WHERE authorId IN (?";
  char *sql = malloc(sizeof start + 2 * (size_t)count + 2);
  if (!sql) abort();
  char *end = stpcpy(sql, start);
  for (int64_t index = 1; index < count; index++) end = stpcpy(end, ",?");
  stpcpy(end, ")");
  sqlite3_stmt *statement = prepare(db, sql);
  free(sql);
  for (int64_t index = 0; index < count; index++) sqlite3_bind_int64(statement, (int)index + 1, authors[index].id);
  return statement;
}

int64_t baseline_read_authors(sqlite3 *db) {
  sqlite3_stmt *statement = prepare(db, "SELECT * FROM author");
  author *authors = NULL;
  int64_t count = 0, capacity = 0, book_count = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    author author = {.id = sqlite3_column_int64(statement, 0), .name = copy_text(statement, 1)};
    APPEND(authors, count, capacity, author);
  }
  sqlite3_finalize(statement);
  qsort(authors, (size_t)count, sizeof *authors, compare_authors);

  statement = prepare_books(db, authors, count);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    author key = {.id = sqlite3_column_int64(statement, 4)};
    author *author = bsearch(&key, authors, (size_t)count, sizeof *authors, compare_authors);
    if (!author) continue;
    APPEND(author->books, author->count, author->capacity, read_book(statement));
    book_count++;
  }
  for (int64_t index = 0; index < count; index++) {
    for (int64_t number = 0; number < authors[index].count; number++) free(authors[index].books[number].title.bytes);
    free(authors[index].books);
    free(authors[index].name.bytes);
  }
  free(authors);
  return finish(statement, code, book_count);
}

int64_t baseline_read_joined_rows(sqlite3 *db, int64_t count) {
  int code = execute_sql(db, "BEGIN");
  sqlite3_stmt *statement = prepare(
      db, "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId WHERE book.id = ? LIMIT 1");
  for (int64_t number = 0; number < count && !code; number++) {
    sqlite3_bind_int64(statement, 1, 7);
    if ((code = step_to_row(statement))) break;
    book book = read_book(statement);
    author author = {.id = sqlite3_column_int64(statement, 4), .name = copy_text(statement, 5)};
    USE(&book);
    USE(&author);
    free(book.title.bytes);
    free(author.name.bytes);
    code = sqlite3_reset(statement);
  }
  int64_t result = finish(statement, code, count);
  return (code = execute_sql(db, "COMMIT")) ? -code : result;
}
