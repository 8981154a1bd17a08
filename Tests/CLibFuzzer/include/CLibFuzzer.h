#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with a function that is called for each input. Declared by the runtime library of the compiler.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
