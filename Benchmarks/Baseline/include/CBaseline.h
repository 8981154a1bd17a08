#ifndef CBASELINE_H
#define CBASELINE_H

#include <stdint.h>

// The loops in C with which the library is compared.
//
// Statements are prepared once for a loop. Bound texts and bytes are static, so SQLite does not copy them. The caller
// opens and closes the connection.
//
// The loops produce results like the library's: arrays of values that stay valid when the statement has ended. Each
// text and each blob is in a memory block of its own, like a string or a `Data` in Swift, so that each can be replaced
// or freed without the others. A row of unknown columns is one block. Results are freed before a function returns,
// because the library's are, too.
//
// All functions return the number of rows or transactions, or an error code of SQLite as a negative number.

typedef struct sqlite3 sqlite3;

// MARK: Reading

/// Reads all items, with six columns, into an array of structures.
int64_t baseline_read_items(sqlite3 *db);

/// Reads four columns of all items into an array of structures.
int64_t baseline_read_small_items(sqlite3 *db);

/// Reads all items into structures. Keeps none of them.
int64_t baseline_visit_items(sqlite3 *db);

/// Reads rows of any columns into an array of rows.
int64_t baseline_read_rows(sqlite3 *db, const char *sql);

/// Reads 50 items into an array of structures, in one transaction, `count` times. The reads begin at the IDs `first`,
/// `first + 1`, … Returns the number of reads.
int64_t baseline_read_pages(sqlite3 *db, int64_t first, int64_t count);

// MARK: Columns

// These functions read the first column of all rows into an array.

int64_t baseline_read_integers(sqlite3 *db, const char *sql);
int64_t baseline_read_texts(sqlite3 *db, const char *sql);
int64_t baseline_read_blobs(sqlite3 *db, const char *sql);

/// Parses texts like `2023-11-14 22:13:20.123` into seconds.
int64_t baseline_read_dates(sqlite3 *db, const char *sql);

int64_t baseline_read_uuids_from_blobs(sqlite3 *db, const char *sql);
int64_t baseline_read_uuids_from_texts(sqlite3 *db, const char *sql);

// MARK: Writing

// These functions write `count` rows one by one, in one transaction. Like the library, they format a date for each.

int64_t baseline_insert(sqlite3 *db, int64_t count);

/// Inserts items, and reads each of them back.
int64_t baseline_insert_and_fetch(sqlite3 *db, int64_t count);

int64_t baseline_upsert(sqlite3 *db, int64_t count);
int64_t baseline_update(sqlite3 *db, int64_t count);

/// Inserts rows, up to `rows_per_transaction` in a transaction. If these are several, each has a savepoint.
int64_t baseline_insert_in_transactions(sqlite3 *db, int64_t count, int64_t rows_per_transaction);

// MARK: Single rows

/// Reads `count` items by their keys, of `row_count` items, in one transaction.
int64_t baseline_look_up(sqlite3 *db, int64_t count, int64_t row_count);

/// Reads one integer in a transaction, `count` times.
int64_t baseline_read_transactions(sqlite3 *db, int64_t count);

/// Updates one row in a transaction, `count` times.
int64_t baseline_write_transactions(sqlite3 *db, int64_t count);

// MARK: Associations

/// Reads all authors, and then all books of these authors. Returns the number of books.
int64_t baseline_read_authors(sqlite3 *db);

/// Reads a book with its author `count` times, in one transaction.
int64_t baseline_read_joined_rows(sqlite3 *db, int64_t count);

#endif
