#ifndef CFEED_H
#define CFEED_H

#include <stdint.h>

// A change feed in C, with which the feed of the library is compared: the pre-update hook encodes the old and new
// values of each row, and the entry is inserted before COMMIT. The functions that update items return zero, or an error
// code of SQLite.

typedef struct feed_database feed_database;

/// Opens a database in WAL mode, and creates a table of 10,000 items and a table for the feed.
feed_database *feed_open(const char *path, int has_feed);

/// Updates `count` items, each in a transaction of its own, with the texts `changed 0`, `changed 1`, … Each `round`
/// updates other items.
int feed_update_series(feed_database *feed, int round, int count);

/// Updates all items in one transaction, `count` times, with a statement for each pass.
int feed_update_all(feed_database *feed, int count);

void feed_close(feed_database *feed);

#endif
