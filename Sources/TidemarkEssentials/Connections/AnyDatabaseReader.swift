/// A type-erased database reader, which uses the database directly.
public final class AnyDatabaseReader: DatabaseReader {
  /// An internal requirement, which gives access to the database; do not use it.
  public let _core: _DatabaseCore

  /// Creates a type-erased reader.
  ///
  /// - Parameter base: The database.
  public init(_ base: any DatabaseReader) {
    _core = base._core
  }
}

/// A type-erased database writer, which uses the database directly.
public final class AnyDatabaseWriter: DatabaseWriter {
  /// An internal requirement, which gives access to the database; do not use it.
  public let _core: _DatabaseCore

  /// Creates a type-erased writer.
  ///
  /// - Parameter base: The database.
  public init(_ base: any DatabaseWriter) {
    _core = base._core
  }
}
