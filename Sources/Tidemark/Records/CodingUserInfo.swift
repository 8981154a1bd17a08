extension [CodingUserInfoKey: Any] {
  /// The same information, as the JSON coders of Foundation want it. They are used by whoever made them, and by nobody
  /// else: nothing is sent to another task.
  var forFoundation: [CodingUserInfoKey: any Sendable] {
    // `Sendable` leaves no trace at run time: both types are one.
    unsafeBitCast(self, to: [CodingUserInfoKey: any Sendable].self)
  }
}
