#ifndef CFEED_H
#define CFEED_H

#include <stdint.h>

// A change feed in C, with which the feed of the library is compared: the pre-update hook encodes the old and new
// values of each row, and the entry is inserted before COMMIT.

typedef struct feed_database feed_database;

/// Opens a database in WAL mode, and creates a table of 10,000 items and a table for the feed.
feed_database *feed_open(const char *path, int has_feed);

/// Updates an item in a transaction of its own. Returns zero, or an error code of SQLite.
int feed_update(feed_database *feed, int64_t id, int64_t value, const char *text, int length);

/// Updates all items in one transaction, `count` times, with a statement for each pass.
int feed_update_all(feed_database *feed, int count);

void feed_close(feed_database *feed);

#endif
