import Foundation
import Tidemark

/// An error that the model expects, or the label of one that was thrown.
struct ModelError: Error, Hashable, CustomStringConvertible {
  var label: String

  init(_ label: String) { self.label = label }

  /// The label of an error of the library.
  init(of error: any Error) {
    switch error {
    case let error as ModelError: label = error.label
    case let error as DatabaseError: label = Self.name(error.extendedResultCode)
    case is CancellationError: label = "cancelled"
    case is RecordError: label = "recordNotFound"
    case is ChangesetConflict: label = "conflict"
    case let error as ChangesetError:
      label = "changesetError"
      if ProcessInfo.processInfo.environment["MODEL_DEBUG"] != nil { print(error) }
    default: label = "\(error)"
    }
  }

  var description: String { label }

  /// The error of closures that throw.
  static let thrown = ModelError("thrown")
  static let aborted = ModelError("ABORT")
  static let busy = ModelError("BUSY")
  static let closed = ModelError("MISUSE")
  static let readonly = ModelError("READONLY")
  static let noTable = ModelError("ERROR")
  static let foreignKey = ModelError("FOREIGNKEY")
  static let primaryKey = ModelError("PRIMARYKEY")
  static let unique = ModelError("UNIQUE")
  static let notNull = ModelError("NOTNULL")
  static let check = ModelError("CHECK")
  static let cancelled = ModelError("cancelled")
  static let notFound = ModelError("recordNotFound")
  static let conflict = ModelError("conflict")
  static let cannotOpen = ModelError("CANTOPEN")
  static let interrupted = ModelError("INTERRUPT")

  private static let names: [ResultCode: String] = [
    .SQLITE_ABORT: "ABORT", .SQLITE_BUSY: "BUSY", .SQLITE_MISUSE: "MISUSE", .SQLITE_READONLY: "READONLY",
    .SQLITE_ERROR: "ERROR", .SQLITE_CONSTRAINT_FOREIGNKEY: "FOREIGNKEY",
    .SQLITE_CONSTRAINT_PRIMARYKEY: "PRIMARYKEY", .SQLITE_CONSTRAINT_UNIQUE: "UNIQUE",
    .SQLITE_CONSTRAINT_NOTNULL: "NOTNULL", .SQLITE_CONSTRAINT_CHECK: "CHECK", .SQLITE_CANTOPEN: "CANTOPEN",
    .SQLITE_INTERRUPT: "INTERRUPT", .SQLITE_BUSY_SNAPSHOT: "BUSY_SNAPSHOT",
  ]

  private static func name(_ code: ResultCode) -> String { names[code] ?? "code \(code.rawValue)" }
}

/// Returns the text of a result, or the label of an error.
func outcome(_ body: () throws -> String) -> String {
  do {
    return try body()
  } catch {
    return "throws " + ModelError(of: error).label
  }
}
