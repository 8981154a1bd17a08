// How often commits are added to change streams. Wall-clock time is enough: a wrong value costs a wake-up, or a delay
// of one polling interval.

extension ChangeStreamHub {
  /// How often entries are added.
  struct Frequency: Sendable {
    private var last: Int64 = 0
    private var isHigh = false

    /// Entries are frequent if the time between two of them is less than this.
    private static let microseconds: Int64 = 1_000

    mutating func entryWasAdded(at microsecondsSince1970: Int64) {
      isHigh = isSoon(microsecondsSince1970)
      last = microsecondsSince1970
    }

    /// Whether the next entry is likely to follow soon.
    func isHigh(at microsecondsSince1970: Int64) -> Bool {
      isHigh && isSoon(microsecondsSince1970)
    }

    // The clock may have been set back.
    private func isSoon(_ microsecondsSince1970: Int64) -> Bool {
      let (difference, isOverflow) = microsecondsSince1970.subtractingReportingOverflow(last)
      return !isOverflow && (0..<Self.microseconds).contains(difference)
    }
  }
}
