/// Records what the statements of a closure read.
final class ReadRecorder: ReadObserver {
  fileprivate(set) var readSet = ReadSet()

  /// Whether rows are left out that do not matter in the current snapshot: see `RegionBound`.
  let usesBounds: Bool

  fileprivate init(usesBounds: Bool) { self.usesBounds = usesBounds }

  func willRead(_ statement: Statement) {
    // Internal statements are not recorded.
    let db = statement.database
    if db.callbacks.isTraceSuspended { return }
    // The statements that determine the region do not belong to the digest.
    let digest = db.recording.digest.take()
    defer { db.recording.digest = digest }
    do {
      // The statement may have been compiled for another schema, which SQLite detects at the first step.
      let plan = try statement.regionPlan()
      let arguments = statement.argumentState
      let values = statement.parameterValues(arguments.current, isChecked: arguments.areChecked)
      readSet.add(plan, values)
      if !usesBounds { return }
      if !plan.findings.refinementQueries.isEmpty, let inference = statement.inference {
        readSet.setRefinement(.linked(inference.linkedValues(values, db)), of: plan, values)
      }
      if let rowCount = plan.rowCountOfBound(values), statement.writes == nil {
        statement.addObserver(BoundObserver(self, statement.inference, plan, values, rowCount: rowCount))
      }
    } catch {
      // If in doubt, widen the region.
      readSet.add(.fullDatabase)
    }
  }
}

/// Records the last row that a statement may return.
private final class BoundObserver: StepObserver {
  private let recorder: ReadRecorder
  private let execution: (inference: StatementInference?, plan: RegionPlan, values: [DatabaseValue]?)
  private let rowCount: Int

  init(
    _ recorder: ReadRecorder, _ inference: StatementInference?, _ plan: RegionPlan, _ values: [DatabaseValue]?,
    rowCount: Int
  ) {
    (self.recorder, execution, self.rowCount) = (recorder, (inference, plan, values), rowCount)
  }

  func didStep(_ statement: Statement, _ result: StepResult) {
    guard case .row(rowCount) = result, let bound = execution.plan.findings.bound,
      case let found = bound.lastValues(in: statement, execution.inference), !found.isEmpty
    else { return }
    recorder.readSet.setRefinement(.bound(found), of: execution.plan, execution.values)
  }
}

extension Database {
  /// The recorder of reads; nil if nothing is recorded.
  var readRecorder: ReadRecorder? { recording.observer as? ReadRecorder }

  /// Runs a closure, and returns the regions that its statements have read.
  ///
  /// - Parameter usesBounds: Whether rows are left out that do not matter in the current snapshot: see `RegionBound`.
  ///   The closure must not write.
  func recordingReads<Result>(
    usesBounds: Bool = false, _ body: () throws -> Result
  ) rethrows -> (result: Result, readSet: ReadSet) {
    let outer = readRecorder
    let recorder = ReadRecorder(usesBounds: usesBounds && outer?.usesBounds != false)
    recording.observer = recorder
    defer {
      recording.observer = outer
      // The enclosing recording has read the same regions.
      outer?.readSet.add(recorder.readSet)
    }
    return (try body(), recorder.readSet)
  }

  /// Runs a closure that fetches rows, and records the region of another statement instead.
  ///
  /// - Parameters:
  ///   - statement: A statement that reads the rows that matter, with its arguments. It is not executed.
  ///   - body: Executes statements that read these rows. Other rows that they read are recorded by the caller.
  func recordingReads<Result>(of statement: Statement, insteadOf body: () throws -> Result) rethrows -> Result {
    let observer = recording.observer
    observer?.willRead(statement)
    recording.observer = nil
    defer { recording.observer = observer }
    return try body()
  }

  /// Adds a region to the observation whose value is being fetched, as if a statement had read it.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   // What is computed depends on the books, though they are read by something else than the library.
  ///   try db.registerAccess(to: Table("book"))
  ///   return try computeSomething(db)
  /// }
  /// ```
  ///
  /// Outside of an observation, this does nothing, and the region is not evaluated.
  ///
  /// - Parameter region: The region.
  /// - Throws: The error of resolving the region.
  public func registerAccess(to region: @autoclosure () -> any DatabaseRegionConvertible) throws {
    preconditionAccess()
    guard let recorder = readRecorder else { return }
    // The recorder does not see how the region is read.
    recording.digest?.isUnknown = true
    recorder.readSet.add(try region().databaseRegion(self))
  }
}
