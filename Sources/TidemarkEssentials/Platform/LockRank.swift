#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The order of locks: while a lock is held, only locks with a higher rank may be taken.
///
/// So no two threads can wait for each other's locks. Debug builds check each lock that is taken, and end the process
/// if the order is violated.
enum LockRank: UInt8 {
  /// `ExternalCommitListeners.state`, held while a subscription to external commits begins.
  case externalCommitListeners

  /// The instance of `ExternalCommitPoller`, which a child process replaces.
  case externalCommitPollerInstance

  /// `ExternalCommitPoller.state`.
  case externalCommitPoller

  /// `ExternalCommitMonitor.phase`, held during a check and while the detector is ended.
  case externalCommitMonitor

  /// The state of an `ExternalCommitDetector`, or of the `CommitDetectionConnection` that several of them share.
  case externalCommitDetector

  /// `DeliveryMailbox.state`, held while a waiting thread is registered in `DeliveryWaits`.
  case deliveryMailbox

  /// `ChangeConsumer.state`, held while a part of a transaction is read from its `TemporaryFile`.
  case changeConsumer

  /// All other locks: no lock is taken while one of them is held.
  case leaf
}

#if DEBUG
  /// The ranks of the locks that the calling thread holds.
  enum HeldLocks {
    private static let key = {
      var key = pthread_key_t()
      let code = pthread_key_create(&key) { memory in
        #if canImport(Darwin)
          memory.deallocate()
        #else
          memory?.deallocate()
        #endif
      }
      precondition(code == 0, "Could not create a thread-specific key: error \(code)")
      return key
    }()

    /// One bit per rank, at the position of its raw value.
    private static var ranks: UnsafeMutablePointer<UInt64> {
      if let memory = pthread_getspecific(key) { return memory.assumingMemoryBound(to: UInt64.self) }
      let ranks = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
      ranks.initialize(to: 0)
      let code = pthread_setspecific(key, ranks)
      precondition(code == 0, "Could not set a thread-specific value: error \(code)")
      return ranks
    }

    static func willLock(_ rank: LockRank) {
      let ranks = ranks
      let bit = mask(rank)
      if ranks.pointee >= bit {
        let highest = LockRank(rawValue: UInt8(63 - ranks.pointee.leadingZeroBitCount))
        preconditionFailure("Lock order: \(rank) is taken while \(highest ?? .leaf) is held. See LockRank.swift")
      }
      ranks.pointee |= bit
    }

    static func didUnlock(_ rank: LockRank) { ranks.pointee &= ~mask(rank) }

    private static func mask(_ rank: LockRank) -> UInt64 { UInt64(1) << UInt64(rank.rawValue) }
  }
#endif
