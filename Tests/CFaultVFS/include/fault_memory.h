// A memory allocator for SQLite whose allocations fail on request.

#ifndef TIDEMARK_FAULT_MEMORY_H
#define TIDEMARK_FAULT_MEMORY_H

#include <stdint.h>

/// Installs the allocator. Call it once per process, before SQLite is used. Returns 0 on success.
int fault_memory_install(void);

/// Makes allocation number `nth` from now on fail, counted from 1; if `persists`, also all later ones.
void fault_memory_arm(int64_t nth, int persists);

/// Stops the failures.
void fault_memory_disarm(void);

/// The number of failed allocations since `fault_memory_arm`.
int64_t fault_memory_injected_count(void);

/// The number of allocations since the last `fault_memory_reset_count`.
int64_t fault_memory_count(void);
void fault_memory_reset_count(void);

/// The number of allocated bytes of the heap, SQLite's included; 0 where the system does not report it.
int64_t fault_heap_size(void);

/// Disables the hook for thrown errors. The testing library stores a backtrace of each error until its test has
/// ended, which would look like a leak of the program.
void fault_forget_errors(void);

/// `fork`, which Swift does not import: for tests of databases in a child process.
int fault_fork(void);

#endif
