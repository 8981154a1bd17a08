import CFaultVFS
import Synchronization

/// A file system that fails on request, and that records the calls to the disk.
final class FaultVFS: @unchecked Sendable {
  /// The name with which connections are opened.
  let name: String

  // Its functions may be called from any thread.
  private let pointer: OpaquePointer

  private static let count = Atomic<Int>(0)

  init() {
    name = "fault-\(Self.count.add(1, ordering: .relaxed).newValue)"
    guard let pointer = fault_vfs_create(name) else { fatalError("no file system that could fail") }
    self.pointer = pointer
  }

  // All connections are closed by then, as tests check.
  deinit { fault_vfs_destroy(pointer) }

  // MARK: Faults

  /// Calls of one or several kinds that fail in one way.
  struct Fault: Sendable, CustomStringConvertible {
    var description: String
    var calls: Int
    var code: CInt = 0
    var tears = false
  }

  /// Makes a call fail: the given number of those that the fault concerns, counted from 1; also all later ones, if the
  /// fault is permanent.
  func arm(_ fault: Fault, at number: Int, forGood: Bool) {
    fault_vfs_arm(pointer, CInt(fault.calls), Int64(number), forGood ? 1 : 0, fault.code, fault.tears ? 1 : 0)
  }

  func disarm() { fault_vfs_disarm(pointer) }

  var injectedCount: Int { Int(fault_vfs_injected_count(pointer)) }

  func resetCounts() { fault_vfs_reset_counts(pointer) }

  func callCount(_ fault: Fault) -> Int { Int(fault_vfs_call_count(pointer, CInt(fault.calls))) }

  // MARK: Events

  func record() { fault_vfs_record(pointer) }

  func lie() { fault_vfs_lie(pointer, 1) }

  func mark(_ number: Int) { fault_vfs_mark(pointer, Int64(number)) }

  var events: [fault_event] {
    (0..<fault_vfs_event_count(pointer)).map { fault_vfs_event_at(pointer, $0) }
  }

  // MARK: Calls

  static let syncs = Int(FAULT_SYNC)
  static let reads = Int(FAULT_READ)
  static let writes = Int(FAULT_WRITE)
  static let locks = Int(FAULT_LOCK)
  static let unfetches = Int(FAULT_UNFETCH)

  /// Calls a closure before each call of a kind on the database file, or on any file.
  func onCall(_ calls: Int, ofAllFiles: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let box = Box(body)
    kept.append(box)
    fault_vfs_on_call(
      pointer, CInt(calls), ofAllFiles ? 1 : 0, { Unmanaged<Box>.fromOpaque($0!).takeUnretainedValue().body() },
      Unmanaged.passUnretained(box).toOpaque())
  }

  func onNoCall() {
    fault_vfs_on_call(pointer, 0, 0, nil, nil)
  }

  // A call with an earlier closure may still run.
  private var kept: [Box] = []

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

extension FaultVFS.Fault {
  /// All calls, each with the code of its kind: a disk that has disappeared.
  static let anything = Self(description: "anything", calls: FAULT_ALL)

  /// The ways to fail.
  static let all = [
    anything,
    Self(description: "open", calls: FAULT_OPEN),
    Self(description: "read", calls: FAULT_READ),
    Self(description: "write", calls: FAULT_WRITE),
    Self(description: "write, half done", calls: FAULT_WRITE, tears: true),
    Self(description: "write, disk full", calls: FAULT_WRITE, code: 13),
    Self(description: "write, disk full, half done", calls: FAULT_WRITE, code: 13, tears: true),
    Self(description: "sync", calls: FAULT_SYNC),
    Self(description: "truncate", calls: FAULT_TRUNCATE),
    Self(description: "delete", calls: FAULT_DELETE),
    Self(description: "file size", calls: FAULT_FILE_SIZE),
    Self(description: "lock", calls: FAULT_LOCK),
    Self(description: "lock, busy", calls: FAULT_LOCK, code: 5),
    Self(description: "shared memory", calls: FAULT_SHM_MAP),
    Self(description: "shared memory, none left", calls: FAULT_SHM_MAP, code: 7),
    Self(description: "shared lock", calls: FAULT_SHM_LOCK),
    Self(description: "shared lock, busy", calls: FAULT_SHM_LOCK, code: 5),
    Self(description: "access", calls: FAULT_ACCESS),
  ]
}
