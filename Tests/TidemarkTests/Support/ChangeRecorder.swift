import Synchronization

import Tidemark
@testable import TidemarkEssentials

/// Stores the commits that a broker reports.
final class ChangeRecorder: Sendable {
  private let commits = Tidemark.Mutex<[CommittedChanges]>([])
  private let subscription = Tidemark.Mutex<ChangeSubscription?>(nil)

  init(_ writer: some DatabaseWriter, _ needs: CaptureNeeds = .all) {
    subscription.exchange(
      writer.changeBroker.subscribe(needs) { [weak self] changes in self?.commits.withLock { $0.append(changes) } })
  }

  private var current: ChangeSubscription? { subscription.withLock { $0 } }

  /// The first version with the needs.
  var version: Int { current?.version ?? 0 }

  /// Changes the needs.
  func setNeeds(_ needs: CaptureNeeds) -> Int { current?.setNeeds(needs) ?? 0 }

  func cancel() { current?.cancel() }

  /// The reports since the last call.
  func take() -> [CommittedChanges] {
    commits.withLock { commits in
      defer { commits = [] }
      return commits
    }
  }

  /// The reported rows since the last call, as texts.
  func takeRows() -> [String] { take().flatMap(\.rows).map(\.words) }
}

extension RowChange {
  /// Formatted as in `update book#1 (id=1 title="Dune") -> (id=1 title="Solaris") [title]`.
  var words: String {
    var words = "\(kind) \(table)"
    if let old { words += " \(old.words)" }
    if let new { words += old == nil ? " \(new.words)" : " -> \(new.words)" }
    if kind == .update { words += " [\(changedColumns?.sorted().joined(separator: ",") ?? "?")]" }
    return words
  }
}

extension RowImage {
  var words: String {
    let columns = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "\(rowID.map { "#\($0)" } ?? "")(\(columns.joined(separator: " ")))"
  }
}
