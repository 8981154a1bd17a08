import Foundation

/// Reports a violation to the parent.
func complain(_ words: String) {
  FileHandle.standardError.write(Data("\(words)\n".utf8))
}

/// The next order; nil at the end of the input.
func readNumber() -> Int64? {
  var bytes = Data()
  while bytes.count < 8 {
    let data = FileHandle.standardInput.readData(ofLength: 8 - bytes.count)
    if data.isEmpty { return nil }
    bytes += data
  }
  return bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
}

/// Replies to an order.
func writeNumber(_ number: Int64) {
  FileHandle.standardOutput.write(withUnsafeBytes(of: number.littleEndian) { Data($0) })
}
