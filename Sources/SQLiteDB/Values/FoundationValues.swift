public import Foundation
public import Tidemark

extension Data: Value {
  /// `BLOB`
  public static var declaredDatatype: String { "BLOB" }

  /// The bytes.
  public static func fromDatatypeValue(_ datatypeValue: Blob) -> Data { Data(datatypeValue.bytes) }

  /// The bytes.
  public var datatypeValue: Blob { Blob(self) }

  /// Not for you to call: the bytes of a BLOB.
  public static func _from(stored: DatabaseValue) -> Data? {
    if case .blob(let data) = stored.storage { data } else { nil }
  }
}

/// A value that is stored as a text, and that not every text is.
public protocol TextValue: Value where Datatype == String, ValueType == Self {
  /// The value that a text is; nil when it is none.
  init?(datatypeText: String)
}

extension TextValue {
  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }

  /// The value that the text is.
  ///
  /// - precondition: It is one. A column whose text is none throws a `ValueError`.
  public static func fromDatatypeValue(_ datatypeValue: String) -> Self {
    do {
      return try value(datatypeValue)
    } catch {
      error.trap()
    }
  }

  /// Not for you to call: the value that a TEXT is, which throws where it is none.
  public static func _from(stored: DatabaseValue) throws -> Self? { try String._from(stored).map(value) }

  private static func value(_ text: String) throws(ValueError) -> Self {
    guard let value = Self(datatypeText: text) else { throw ValueError(type: "\(Self.self)", found: text) }
    return value
  }
}

extension UUID: TextValue {
  /// The identifier that the text is, in whatever case.
  public init?(datatypeText: String) { self.init(uuidString: datatypeText) }

  /// The 36 characters, in upper case.
  public var datatypeValue: String { uuidString }
}

extension URL: TextValue {
  /// The URL that the text is.
  public init?(datatypeText: String) { self.init(string: datatypeText) }

  /// The whole text of the URL.
  public var datatypeValue: String { absoluteString }
}
