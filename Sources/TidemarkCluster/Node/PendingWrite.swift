import Foundation
import Tidemark

/// A write that waits for its execution, is executed, or waits for the log.
///
/// Its caller is resumed exactly once: with its result, when its time is over, or when its task is cancelled. The write
/// may go on after the two latter.
final class PendingWrite: Sendable {
  typealias Completion = @Sendable (Result<LogPosition, any Error>) -> Void

  let id = UUID.random()
  let deadline: ContinuousClock.Instant

  /// Whether an entry is appended also if nothing was changed.
  let isFence: Bool

  /// Runs the closure of the caller, and keeps its result for the completion.
  let run: @Sendable (Database) throws -> Void

  private enum Caller {
    /// It has not begun to wait.
    case coming
    case waiting(Completion)

    /// It was resumed, or will be when it begins to wait.
    case resumed(Result<LogPosition, any Error>?)
  }

  private struct State {
    var caller = Caller.coming

    /// Whether the closure is executed, or its changes are about to be appended.
    var isExecuted = false

    /// Why the caller does not wait any more, since a moment in the execution.
    var surrender: (any Error)?

    /// The number of the only entry that can contain the transaction, once it has been appended.
    var entryNumber: UInt64?
  }

  private let state = ProtectedValue(State())

  init(
    until deadline: ContinuousClock.Instant, isFence: Bool = false, run: @escaping @Sendable (Database) throws -> Void
  ) {
    (self.deadline, self.isFence, self.run) = (deadline, isFence, run)
  }

  /// The caller begins to wait.
  func wait(_ completion: @escaping Completion) {
    let result = state.withLock { state -> Result<LogPosition, any Error>? in
      if case .resumed(let result) = state.caller { return result }
      state.caller = .waiting(completion)
      return nil
    }
    if let result { completion(result) }
  }

  /// Whether the caller still waits.
  var isWanted: Bool { state.withLock { Self.isWanted($0) } }

  private static func isWanted(_ state: State) -> Bool {
    if case .resumed = state.caller { false } else { state.surrender == nil }
  }

  /// The closure will be executed.
  ///
  /// - Returns: Whether the caller still waits; otherwise, it is not executed.
  func willExecute() -> Bool {
    state.withLock { state in
      state.isExecuted = Self.isWanted(state)
      return state.isExecuted
    }
  }

  /// An entry with the transaction will be appended.
  func willAppend(as number: UInt64) { didExecute(number) }

  /// The transaction is in no entry: it was refused, or rolled back, or has changed nothing.
  func wasNotAppended() { didExecute(nil) }

  private func didExecute(_ entryNumber: UInt64?) {
    let surrender = state.withLock { state in
      (state.isExecuted, state.entryNumber) = (false, entryNumber)
      return state.surrender.take()
    }
    if let surrender { giveUp(surrender) }
  }

  /// Resumes the caller, if it still waits.
  func finish(_ result: Result<LogPosition, any Error>) { resume { _ in result } }

  /// Resumes the caller before the outcome is decided: with an error, or as unknown if the transaction may be stored.
  ///
  /// While the closure is executed, it is not known whether an entry will contain the transaction. The caller is then
  /// resumed as soon as this is known.
  func giveUp(_ error: any Error) {
    let isDeferred = state.withLock { state in
      if state.isExecuted { state.surrender = state.surrender ?? error }
      return state.isExecuted
    }
    if isDeferred { return }
    let id = id
    resume { number in
      .failure(number.map { ClusterError.outcomeUnknown(ClusterTransactionID(id: id, entryNumber: $0)) } ?? error)
    }
  }

  private func resume(_ result: (_ entryNumber: UInt64?) -> Result<LogPosition, any Error>) {
    let (former, result) = state.withLock { state -> (Caller, Result<LogPosition, any Error>) in
      let (former, result) = (state.caller, result(state.entryNumber))
      switch former {
      case .coming: state.caller = .resumed(result)
      case .waiting: state.caller = .resumed(nil)
      case .resumed: break
      }
      return (former, result)
    }
    if case .waiting(let completion) = former { completion(result) }
  }
}
