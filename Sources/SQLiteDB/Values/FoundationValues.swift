public import Foundation

extension Data: Value {
  /// `BLOB`
  public static var declaredDatatype: String { "BLOB" }

  /// The bytes.
  public static func fromDatatypeValue(_ datatypeValue: Blob) -> Data { Data(datatypeValue.bytes) }

  /// The bytes.
  public var datatypeValue: Blob { Blob(bytes: [UInt8](self)) }
}

extension UUID: Value {
  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }

  /// The identifier that the text is.
  ///
  /// - throws: A `ValueError` when it is none.
  public static func fromDatatypeValue(_ datatypeValue: String) throws -> UUID {
    guard let uuid = UUID(uuidString: datatypeValue) else { throw ValueError(type: "UUID", found: datatypeValue) }
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
  /// - throws: A `ValueError` when it is none.
  public static func fromDatatypeValue(_ datatypeValue: String) throws -> URL {
    guard let url = URL(string: datatypeValue) else { throw ValueError(type: "URL", found: datatypeValue) }
    return url
  }

  /// The whole text of the URL.
  public var datatypeValue: String { absoluteString }
}
