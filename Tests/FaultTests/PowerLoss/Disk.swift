import CFaultVFS
import Foundation
import StressSupport

/// A disk that may lose power: its durable contents, and its pending writes.
///
/// Recorded events are replayed one by one. At any moment, it can produce the possible contents after a power failure.
struct Disk {
  /// The moment at which a new or deleted file name becomes durable.
  enum Folders: CaseIterable {
    /// With the next sync of any file, as on ext4 and xfs.
    case withAnySync
    /// With a sync of the folder only, which is all that the standard promises.
    case withTheirOwnSync
  }

  /// The fate of the pending writes.
  enum Damage: CaseIterable {
    /// None was performed.
    case nothing
    /// The first ones were performed.
    case prefix
    /// Some of their sectors were written, in any order.
    case torn
    /// Some of their sectors were written, and others contain garbage.
    case garbage
  }

  private enum Change {
    case write(offset: Int, bytes: Data)
    case truncate(Int)
  }

  private struct File {
    var durable = Data()
    var pending: [Change] = []
  }

  private enum NameChange {
    case create(String, file: Int)
    case delete(String)
  }

  private let folders: Folders
  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [NameChange] = []

  /// The last mark.
  private(set) var mark: Int?

  static let sectorSize = 512

  init(_ folders: Folders) { self.folders = folders }

  // MARK: Events

  /// - Returns: Whether the event changes the disk.
  mutating func play(_ event: fault_event) -> Bool {
    let name = event.path.map { String(cString: $0) } ?? ""
    switch event.kind {
    case FAULT_EVENT_MARK:
      mark = Int(event.offset)
      return false
    case FAULT_EVENT_CREATE:
      names[name] = files.count
      pendingNames.append(.create(name, file: files.count))
      files.append(File())
    case FAULT_EVENT_DELETE:
      names[name] = nil
      pendingNames.append(.delete(name))
      if event.syncs_folder != 0 { writeNamesDown() }
    case FAULT_EVENT_WRITE:
      let bytes = Data(bytes: event.bytes, count: Int(event.count))
      files[file(name)].pending.append(.write(offset: Int(event.offset), bytes: bytes))
    case FAULT_EVENT_TRUNCATE:
      files[file(name)].pending.append(.truncate(Int(event.offset)))
    case FAULT_EVENT_SYNC:
      let number = file(name)
      for change in files[number].pending { Self.apply(change, to: &files[number].durable) }
      files[number].pending = []
      if folders == .withAnySync || event.syncs_folder != 0 { writeNamesDown() }
    default:
      preconditionFailure("An event of an unknown kind")
    }
    return true
  }

  private mutating func file(_ name: String) -> Int {
    if let number = names[name] { return number }
    // An empty file that existed before the recording.
    names[name] = files.count
    durableNames[name] = files.count
    files.append(File())
    return files.count - 1
  }

  private mutating func writeNamesDown() {
    for change in pendingNames { Self.apply(change, to: &durableNames) }
    pendingNames = []
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .create(let name, let file): names[name] = file
    case .delete(let name): names[name] = nil
    }
  }

  private static func apply(_ change: Change, to bytes: inout Data) {
    switch change {
    case .truncate(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) } else { grow(&bytes, to: size) }
    case .write(let offset, let written):
      grow(&bytes, to: offset + written.count)
      bytes.replaceSubrange(offset..<(offset + written.count), with: written)
    }
  }

  private static func grow(_ bytes: inout Data, to size: Int) {
    if size > bytes.count { bytes.append(Data(count: size - bytes.count)) }
  }

  // MARK: Contents

  /// The files after a power failure at this moment.
  func image(_ damage: Damage, _ numbers: inout RandomNumbers) -> [String: Data] {
    var left = durableNames
    let arrived = damage == .nothing ? 0 : numbers.below(pendingNames.count + 1)
    for change in pendingNames.prefix(arrived) { Self.apply(change, to: &left) }
    return left.mapValues { Self.content(of: files[$0], damage, &numbers) }
  }

  private static func content(of file: File, _ damage: Damage, _ numbers: inout RandomNumbers) -> Data {
    var bytes = file.durable
    switch damage {
    case .nothing:
      break
    case .prefix:
      for change in file.pending.prefix(numbers.below(file.pending.count + 1)) { apply(change, to: &bytes) }
    case .torn, .garbage:
      for change in file.pending {
        for part in sectors(of: change) where numbers.once(in: 2) {
          apply(part, to: &bytes)
        }
        if damage == .garbage, case .write(let offset, let written) = change, numbers.once(in: 4) {
          // A sector that was being written.
          let sector = (offset + numbers.below(written.count)) / sectorSize * sectorSize
          let range = max(offset, sector)..<min(offset + written.count, sector + sectorSize)
          apply(.write(offset: range.lowerBound, bytes: Data(range.map { _ in UInt8(numbers.below(256)) })), to: &bytes)
        }
      }
    }
    return bytes
  }

  private static func sectors(of change: Change) -> [Change] {
    guard case .write(let offset, let bytes) = change else { return [change] }
    var parts: [Change] = []
    var begin = 0
    while begin < bytes.count {
      let end = min(bytes.count, (offset + begin) / sectorSize * sectorSize + sectorSize - offset)
      parts.append(.write(offset: offset + begin, bytes: Data(bytes[begin..<end])))
      begin = end
    }
    return parts
  }
}
