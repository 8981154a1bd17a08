import CSQLite
import FoundationEssentials

/// A Swift closure that implements an SQL function.
///
/// SQLite owns the box, and releases it when the function is replaced, removed, or the connection
/// closed.
final class SQLFunctionBox {
  let implementation: Implementation

  enum Implementation {
    case scalar(([DatabaseValue]) throws -> DatabaseValue)
    case aggregate(() -> any SQLAggregateState)
  }

  init(_ implementation: Implementation) {
    self.implementation = implementation
  }
}

/// The properties of a function on which SQLite may rely.
struct SQLFunctionTraits: OptionSet {
  var rawValue: CInt

  static let deterministic = SQLFunctionTraits(rawValue: SQLITE_DETERMINISTIC)
  static let directOnly = SQLFunctionTraits(rawValue: SQLITE_DIRECTONLY)
  static let innocuous = SQLFunctionTraits(rawValue: SQLITE_INNOCUOUS)
}

/// The state of one execution of an aggregate.
protocol SQLAggregateState: AnyObject {
  func step(_ arguments: [DatabaseValue]) throws
  func finalize() throws -> DatabaseValue
}

extension ConnectionHandle {
  /// Adds a function, or replaces the one with the same name and argument count. C: `sqlite3_create_function_v2`.
  ///
  /// - Parameter argumentCount: -1 for any number.
  func addFunction(_ name: String, argumentCount: CInt, _ traits: SQLFunctionTraits, _ box: SQLFunctionBox) throws {
    // SQLite also releases the box if it rejects the function.
    let context = Unmanaged.passRetained(box).toOpaque()
    let flags = traits.rawValue | SQLITE_UTF8
    let code =
      switch box.implementation {
      case .scalar:
        sqlite3_create_function_v2(
          pointer, name, argumentCount, flags, context, scalarFunctionWasCalled, nil, nil, releaseFunctionBox)
      case .aggregate:
        sqlite3_create_function_v2(
          pointer, name, argumentCount, flags, context, nil, aggregateDidStep, aggregateDidEnd, releaseFunctionBox)
      }
    try check(code)
  }

  /// C: `sqlite3_create_function_v2` without functions.
  func removeFunction(_ name: String, argumentCount: CInt) throws {
    try check(
      sqlite3_create_function_v2(pointer, name, argumentCount, SQLITE_UTF8, nil, nil, nil, nil, nil))
  }
}

// MARK: - Called by C

private func releaseFunctionBox(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<SQLFunctionBox>.fromOpaque(context).release()
}

private func box(of context: OpaquePointer?) -> SQLFunctionBox {
  Unmanaged<SQLFunctionBox>.fromOpaque(sqlite3_user_data(context).unsafelyUnwrapped).takeUnretainedValue()
}

private func values(
  _ count: CInt, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) throws -> [DatabaseValue] {
  try (0..<Int(count)).map { index in
    guard let argument = arguments?[index], let value = BorrowedValue(ColumnValue(argument)) else {
      throw DatabaseError(resultCode: .SQLITE_NOMEM)
    }
    return DatabaseValue(copying: value)
  }
}

private func scalarFunctionWasCalled(
  context: OpaquePointer?, count: CInt, arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .scalar(let function) = box(of: context).implementation else { return }
  do {
    try function(values(count, arguments)).report(to: context)
  } catch {
    report(error, to: context)
  }
}

/// The memory that SQLite gives to each execution of an aggregate: a retained pointer to its state.
///
/// It is zero at first, and after an error, so that nothing is done after a failure.
private func aggregateSlot(of context: OpaquePointer?) -> UnsafeMutablePointer<AggregateSlot>? {
  sqlite3_aggregate_context(context, CInt(MemoryLayout<AggregateSlot>.size))?
    .assumingMemoryBound(to: AggregateSlot.self)
}

private struct AggregateSlot {
  var state: UnsafeMutableRawPointer?
  var hasFailed: CInt
}

private final class AggregateStateBox {
  let state: any SQLAggregateState
  init(_ state: any SQLAggregateState) { self.state = state }
}

private func stateBox(
  in slot: UnsafeMutablePointer<AggregateSlot>, _ context: OpaquePointer?
) -> AggregateStateBox? {
  if let pointer = slot.pointee.state {
    return Unmanaged<AggregateStateBox>.fromOpaque(pointer).takeUnretainedValue()
  }
  guard case .aggregate(let makeState) = box(of: context).implementation else { return nil }
  let box = AggregateStateBox(makeState())
  slot.pointee.state = Unmanaged.passRetained(box).toOpaque()
  return box
}

private func aggregateDidStep(
  context: OpaquePointer?, count: CInt, arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let slot = aggregateSlot(of: context) else { return sqlite3_result_error_nomem(context) }
  guard slot.pointee.hasFailed == 0 else { return }
  do {
    try stateBox(in: slot, context)?.state.step(values(count, arguments))
  } catch {
    slot.pointee.hasFailed = 1
    report(error, to: context)
  }
}

private func aggregateDidEnd(context: OpaquePointer?) {
  guard let slot = aggregateSlot(of: context) else { return sqlite3_result_error_nomem(context) }
  let box = stateBox(in: slot, context)
  if let pointer = slot.pointee.state {
    Unmanaged<AggregateStateBox>.fromOpaque(pointer).release()
    slot.pointee.state = nil
  }
  // SQLite also calls the final function of an aggregate whose step has failed. The step reported the error.
  guard slot.pointee.hasFailed == 0, let box else { return }
  do {
    try box.state.finalize().report(to: context)
  } catch {
    report(error, to: context)
  }
}

// MARK: - Results

/// Makes a thrown error the error of the statement. A `DatabaseError` keeps its code and message.
private func report(_ error: any Error, to context: OpaquePointer?) {
  guard let error = error as? DatabaseError else {
    return sqlite3_result_error(context, "\(error)", -1)
  }
  // The message comes first: SQLite sets its own message for a code without one.
  if let message = error.message { sqlite3_result_error(context, message, -1) }
  switch error.extendedResultCode {
  case .SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE:
    // These codes are not failures: SQLite would continue as if no error had been thrown, or take them for a row.
    sqlite3_result_error_code(context, SQLITE_ERROR)
  default:
    sqlite3_result_error_code(context, error.extendedResultCode.rawValue)
  }
}

extension DatabaseValue {
  /// Sets the value as the result of a function. C: `sqlite3_result_null` and its siblings.
  fileprivate func report(to context: OpaquePointer?) {
    switch storage {
    case .null: sqlite3_result_null(context)
    case .int64(let integer): sqlite3_result_int64(context, integer)
    case .double(let double): sqlite3_result_double(context, double)
    case .string(var string):
      string.withUTF8 { bytes in
        guard let start = bytes.baseAddress else { return sqlite3_result_text(context, "", 0, tidemark_static()) }
        start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          sqlite3_result_text64(context, $0, UInt64(bytes.count), tidemark_transient(), UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let data):
      data.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, bytes.count > 0 else { return sqlite3_result_zeroblob(context, 0) }
        sqlite3_result_blob64(context, start, UInt64(bytes.count), tidemark_transient())
      }
    }
  }
}
