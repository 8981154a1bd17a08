import FoundationEssentials

extension DatabaseExtension {
  /// Returns an extension in a shared library.
  ///
  /// ```swift
  /// config.extensions = [.library("/usr/lib/sqlite3/vec0.so", entryPoint: "sqlite3_vec_init")]
  /// ```
  ///
  /// The library is loaded when a connection is opened. The SQL function `load_extension` remains disabled.
  ///
  /// - Parameter path: The path of the library. A relative path is relative to the current folder at this call: the
  ///   folders in which the system looks for libraries are not searched. SQLite also tries the path with the suffix of
  ///   the system, such as `.so`.
  /// - Parameter entryPoint: The name of the C function that registers the extension, or nil for the name that SQLite
  ///   derives from the path.
  /// - Returns: The extension.
  public static func library(_ path: String, entryPoint: String? = nil) -> DatabaseExtension {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let absolute = isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path
    return DatabaseExtension(name: absolute, source: .library(path: absolute, entryPoint: entryPoint))
  }

  /// Returns an extension that the program is linked with.
  ///
  /// For example, a C target of the package contains the sources of an extension, whose entry point registers it:
  ///
  /// ```swift
  /// let vectorEntryPoint: DatabaseExtension.EntryPoint = { db, message, api in SQLITE_OK }
  /// config.extensions = [.linked("sqlite-vec", vectorEntryPoint)]
  /// ```
  ///
  /// - Parameter name: The name of the extension, for error messages.
  /// - Parameter entryPoint: The C function that registers the extension.
  /// - Returns: The extension.
  public static func linked(_ name: String, _ entryPoint: @escaping EntryPoint) -> DatabaseExtension {
    DatabaseExtension(name: name, source: .linked(entryPoint))
  }
}

extension Configuration {
  /// Throws if the configuration loads extensions for a file from an untrusted source.
  func checkExtensions() throws {
    guard isUntrusted, let first = extensions.first else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: """
        could not load the extension \(first.name): a configuration for untrusted files cannot load extensions, \
        because the file could call their functions. Use another configuration, or remove the extensions
        """)
  }
}

extension Database {
  /// Registers the extensions of the configuration on a connection that was opened.
  func load(_ extensions: [DatabaseExtension]) throws {
    let handle = try openHandle()
    for element in extensions { try element.load(on: handle) }
  }
}
