// Memory that runs out when it is told to.

#ifndef TIDEMARK_FAULT_MEMORY_H
#define TIDEMARK_FAULT_MEMORY_H

#include <stdint.h>

/// Stands between SQLite and its memory. To be called once in a process, before SQLite is used. 0 when it succeeds.
int fault_memory_install(void);

/// Has an allocation fail: the one of number `nth`, counted from 1 from now on; when `persists`, all the later ones, too.
void fault_memory_arm(int64_t nth, int persists);

/// Has none fail any more.
void fault_memory_disarm(void);

/// How many allocations have failed since `fault_memory_arm`.
int64_t fault_memory_injected_count(void);

/// How many allocations there were since the last `fault_memory_reset_count`.
int64_t fault_memory_count(void);
void fault_memory_reset_count(void);

/// How many bytes of the heap the program has not given back, SQLite's included; 0 where the system does not tell.
int64_t fault_heap_size(void);

/// Has nobody told of errors that are thrown. The library of the tests keeps a backtrace of each, until its test has
/// ended: that is no leak of the program's.
void fault_forget_errors(void);

/// `fork`, which Swift does not offer: for the test that nothing may be done in the child.
int fault_fork(void);

#endif
