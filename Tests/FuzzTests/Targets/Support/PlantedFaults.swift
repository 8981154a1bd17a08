// Faults that a run must find: they show that libFuzzer is guided by coverage, and that memory errors are detected.

extension FuzzTarget {
  /// Fails for inputs that begin with five certain bytes.
  public static let plantedFailure = FuzzTarget("planted-failure", maxLength: 16) { input in
    if hasMark(&input) { throw FuzzFailure("the planted fault") }
  }

  /// Reads a byte after the end of an allocation, for inputs that begin with five certain bytes.
  public static let plantedMemoryError = FuzzTarget("planted-memory-error", maxLength: 16) { input in
    guard hasMark(&input) else { return }
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
    defer { bytes.deallocate() }
    bytes.initialize(repeating: 1, count: 16)
    try require(bytes[16 + input.choice(2)] != 1, "the byte after the allocation equals its bytes")
  }

  /// Compares byte by byte, without a loop: each correct byte reaches new code.
  private static func hasMark(_ input: inout FuzzInput) -> Bool {
    guard input.byte() == UInt8(ascii: "f") else { return false }
    guard input.byte() == UInt8(ascii: "a") else { return false }
    guard input.byte() == UInt8(ascii: "u") else { return false }
    guard input.byte() == UInt8(ascii: "l") else { return false }
    return input.byte() == UInt8(ascii: "t")
  }
}
