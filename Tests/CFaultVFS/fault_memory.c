#include "fault_memory.h"

#include <pthread.h>
#include <sqlite3.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

static sqlite3_mem_methods below;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_armed;
static int64_t nth;
static int persists;
static int64_t seen;
static int64_t injected;
static int64_t count;

static int fails(void) {
  pthread_mutex_lock(&lock);
  int answer = 0;
  count++;
  if (is_armed) {
    seen++;
    answer = seen == nth || (persists && seen > nth);
    if (answer) injected++;
  }
  pthread_mutex_unlock(&lock);
  return answer;
}

static void *memory_malloc(int size) { return fails() ? NULL : below.xMalloc(size); }
static void *memory_realloc(void *old, int size) { return fails() ? NULL : below.xRealloc(old, size); }

int fault_memory_install(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &below);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = below;
  methods.xMalloc = memory_malloc;
  methods.xRealloc = memory_realloc;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  if (code != SQLITE_OK) return code;
  // Disable lookaside memory: small allocations would come from it, and not fail.
  return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

void fault_memory_arm(int64_t number, int stays) {
  pthread_mutex_lock(&lock);
  is_armed = 1;
  nth = number;
  persists = stays;
  seen = 0;
  injected = 0;
  pthread_mutex_unlock(&lock);
}

void fault_memory_disarm(void) {
  pthread_mutex_lock(&lock);
  is_armed = 0;
  pthread_mutex_unlock(&lock);
}

int64_t fault_memory_injected_count(void) {
  pthread_mutex_lock(&lock);
  int64_t answer = injected;
  pthread_mutex_unlock(&lock);
  return answer;
}

int64_t fault_memory_count(void) {
  pthread_mutex_lock(&lock);
  int64_t answer = count;
  pthread_mutex_unlock(&lock);
  return answer;
}

void fault_memory_reset_count(void) {
  pthread_mutex_lock(&lock);
  count = 0;
  pthread_mutex_unlock(&lock);
}

int64_t fault_heap_size(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

// A function of Swift's runtime.
extern void _swift_setWillThrowHandler(void (*handler)(void *error)) __attribute__((weak));

void fault_forget_errors(void) {
  if (_swift_setWillThrowHandler) _swift_setWillThrowHandler(0);
}

int fault_fork(void) { return fork(); }
