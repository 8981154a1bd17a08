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

extension UUID: Value {
  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }

  /// The identifier that the text is.
  ///
  /// - precondition: It is one. A column whose text is none throws a `ValueError`.
  public static func fromDatatypeValue(_ datatypeValue: String) -> UUID {
    guard let uuid = UUID(uuidString: datatypeValue) else { ValueError(type: "UUID", found: datatypeValue).trap() }
    return uuid
  }

  /// Not for you to call: the identifier that a TEXT is, which throws where it is none.
  public static func _from(stored: DatabaseValue) throws -> UUID? {
    guard let text = String._from(stored) else { return nil }
    guard let uuid = UUID(uuidString: text) else { throw ValueError(type: "UUID", found: text) }
    return uuid
  }

  /// The 36 characters, in upper case.
  public var datatypeValue: String { uuidString }
}

extension URL: Value {
  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }

  /// The URL that the text is.
  ///
  /// - precondition: It is one. A column whose text is none throws a `ValueError`.
  public static func fromDatatypeValue(_ datatypeValue: String) -> URL {
    guard let url = URL(string: datatypeValue) else { ValueError(type: "URL", found: datatypeValue).trap() }
    return url
  }

  /// Not for you to call: the URL that a TEXT is, which throws where it is none.
  public static func _from(stored: DatabaseValue) throws -> URL? {
    guard let text = String._from(stored) else { return nil }
    guard let url = URL(string: text) else { throw ValueError(type: "URL", found: text) }
    return url
  }

  /// The whole text of the URL.
  public var datatypeValue: String { absoluteString }
}
