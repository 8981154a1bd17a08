// The tokenizers of the benchmark in C: the same algorithms as in Benchmarks/FullText.swift.

#ifndef TIDEMARK_CTOKENIZERS_H
#define TIDEMARK_CTOKENIZERS_H

#include <sqlite3.h>

// Registers `words`, which splits texts into lower-case ASCII words, and `stopped`, which wraps `words` and omits some
// of them. Returns a result code of SQLite.
int bench_add_tokenizers(sqlite3 *db);

#endif
