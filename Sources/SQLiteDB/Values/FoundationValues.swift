public import Foundation
public import Tidemark

extension Data: Value {
  /// The declared type of a column: `BLOB`.
  public static var declaredDatatype: String { "BLOB" }

  /// Returns the bytes of a blob.
  ///
  /// - Parameter datatypeValue: The blob.
  /// - Returns: The bytes.
  public static func fromDatatypeValue(_ datatypeValue: Blob) -> Data { Data(datatypeValue.bytes) }

  /// The bytes as a blob.
  public var datatypeValue: Blob { Blob(self) }

  /// Not part of the public interface: decodes a blob.
  public static func _from(stored: DatabaseValue) -> Data? {
    if case .blob(let data) = stored.storage { data } else { nil }
  }
}

/// A value that is stored as text, and that only some strings represent.
public protocol TextValue: Value where Datatype == String, ValueType == Self {
  /// Creates the value that a string represents; nil if the string is not valid.
  ///
  /// - Parameter datatypeText: The text.
  init?(datatypeText: String)
}

extension TextValue {
  /// The declared type of a column: `TEXT`.
  public static var declaredDatatype: String { "TEXT" }

  /// Returns the value that a string represents.
  ///
  /// ```swift
  /// let url = URL.fromDatatypeValue("https://www.sqlite.org")
  /// ```
  ///
  /// - Precondition: The text is valid. Reading a column with another text throws a ``ValueError`` instead.
  /// - Parameter datatypeValue: The text.
  /// - Returns: The value.
  public static func fromDatatypeValue(_ datatypeValue: String) -> Self {
    do {
      return try value(datatypeValue)
    } catch {
      error.trap()
    }
  }

  /// Not part of the public interface: decodes a string. Throws an error if the string is not valid.
  public static func _from(stored: DatabaseValue) throws -> Self? { try String._from(stored).map(value) }

  private static func value(_ text: String) throws(ValueError) -> Self {
    guard let value = Self(datatypeText: text) else { throw ValueError(type: "\(Self.self)", found: text) }
    return value
  }
}

extension UUID: TextValue {
  /// Creates the UUID that a string represents, in any case.
  ///
  /// - Parameter datatypeText: The text.
  public init?(datatypeText: String) { self.init(uuidString: datatypeText) }

  /// The UUID as a string of 36 characters, in upper case.
  public var datatypeValue: String { uuidString }
}

extension URL: TextValue {
  /// Creates the URL that a string represents.
  ///
  /// - Parameter datatypeText: The text.
  public init?(datatypeText: String) { self.init(string: datatypeText) }

  /// The absolute URL as text.
  public var datatypeValue: String { absoluteString }
}
