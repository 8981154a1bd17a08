import Foundation
import Testing

/// A small extension, compiled by the tests.
enum CompiledExtension {
  private static let compiler = ["/usr/bin/cc", "/usr/local/bin/cc"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var hasCompiler: Bool { compiler != nil }

  static let source = """
    #include <sqlite3ext.h>
    SQLITE_EXTENSION_INIT1

    static void multiply(sqlite3_context *context, int count, sqlite3_value **values) {
      sqlite3_result_int64(context, sqlite3_value_int64(values[0]) * *(int *)sqlite3_user_data(context));
    }

    static int two = 2, three = 3;

    int sqlite3_tidetest_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      return sqlite3_create_function(db, "twice", 1, SQLITE_UTF8, &two, multiply, 0, 0);
    }

    int thrice_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      return sqlite3_create_function(db, "thrice", 1, SQLITE_UTF8, &three, multiply, 0, 0);
    }

    int refusing_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      *message = sqlite3_mprintf("no license");
      return SQLITE_ERROR;
    }

    int open_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      return sqlite3_enable_load_extension(db, 1);
    }
    """

  /// The functions of an extension for vectors of floating-point numbers.
  static let vectorSource = """
    #include <math.h>
    #include <sqlite3ext.h>
    SQLITE_EXTENSION_INIT1

    static void distance(sqlite3_context *context, int count, sqlite3_value **values) {
      int size = sqlite3_value_bytes(values[0]);
      if (size != sqlite3_value_bytes(values[1])) {
        sqlite3_result_error(context, "the vectors have different dimensions", -1);
        return;
      }
      const float *a = sqlite3_value_blob(values[0]), *b = sqlite3_value_blob(values[1]);
      double sum = 0;
      for (int i = 0; i < size / sizeof(float); i++) sum += (a[i] - b[i]) * (double)(a[i] - b[i]);
      sqlite3_result_double(context, sqrt(sum));
    }

    int sqlite3_vec_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      return sqlite3_create_function(
        db, "vec_distance_L2", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, distance, 0, 0);
    }
    """

  /// Compiles an extension, and returns the path of the library.
  static func compile(_ source: String, into folder: TemporaryFolder, named name: String) throws -> String {
    let file = try folder.write(source.utf8, to: "\(name).c")
    let library = folder.path("\(name).so")
    let compiler = try #require(compiler)
    try #require(Shell.run(compiler, ["-shared", "-fPIC", "-O1", "-o", library, file, "-lm"]) == 0)
    return library
  }
}
