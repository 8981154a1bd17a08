#include "CTokenizers.h"

#include <string.h>

typedef int (*TokenCallback)(void *, int, const char *, int, int, int);

enum { longest_word = 64 };

// MARK: words

static int isWordByte(unsigned char byte) {
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static int createWords(void *context, const char **arguments, int count, Fts5Tokenizer **result) {
  (void)context, (void)arguments, (void)count;
  *result = sqlite3_malloc(longest_word);
  return *result ? SQLITE_OK : SQLITE_NOMEM;
}

static void deleteWords(Fts5Tokenizer *tokenizer) { sqlite3_free(tokenizer); }

static int tokenizeWords(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int count,
                         TokenCallback callback) {
  char *word = (char *)tokenizer;
  int index = 0;
  (void)flags;
  while (index < count) {
    while (index < count && !isWordByte(text[index])) index++;
    int start = index, length = 0;
    while (index < count && isWordByte(text[index])) {
      char byte = text[index++];
      if (length < longest_word) word[length++] = byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
    }
    if (length == 0) break;
    int code = callback(context, 0, word, length, start, index);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// MARK: stopped

static const char *const stopWords[] = {"the", "of", "and", "a", "to", "in"};

typedef struct {
  Fts5Tokenizer *words;
} Stopped;

typedef struct {
  void *context;
  TokenCallback callback;
} Receiver;

static int createStopped(void *context, const char **arguments, int count, Fts5Tokenizer **result) {
  Stopped *stopped = sqlite3_malloc(sizeof(Stopped));
  if (!stopped) return SQLITE_NOMEM;
  *result = (Fts5Tokenizer *)stopped;
  return createWords(context, arguments, count, &stopped->words);
}

static void deleteStopped(Fts5Tokenizer *tokenizer) {
  deleteWords(((Stopped *)tokenizer)->words);
  sqlite3_free(tokenizer);
}

static int acceptWord(void *context, int flags, const char *token, int count, int start, int end) {
  Receiver *receiver = context;
  for (size_t index = 0; index < sizeof(stopWords) / sizeof(*stopWords); index++) {
    if ((int)strlen(stopWords[index]) == count && memcmp(stopWords[index], token, count) == 0) return SQLITE_OK;
  }
  return receiver->callback(receiver->context, flags, token, count, start, end);
}

static int tokenizeStopped(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int count,
                           TokenCallback callback) {
  Receiver receiver = {context, callback};
  return tokenizeWords(((Stopped *)tokenizer)->words, &receiver, flags, text, count, acceptWord);
}

int bench_add_tokenizers(sqlite3 *db) {
  fts5_api *api = 0;
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  if (!api) return SQLITE_ERROR;
  fts5_tokenizer words = {createWords, deleteWords, tokenizeWords};
  fts5_tokenizer stopped = {createStopped, deleteStopped, tokenizeStopped};
  code = api->xCreateTokenizer(api, "words", 0, &words, 0);
  return code == SQLITE_OK ? api->xCreateTokenizer(api, "stopped", 0, &stopped, 0) : code;
}
