import Foundation

/// Reports to the parent, which counts the reports. `write(2)` is atomic for so few bytes.
func acknowledge(_ number: Int) {
  withUnsafeBytes(of: Int64(number).littleEndian) { bytes in
    if Foundation.write(STDOUT_FILENO, bytes.baseAddress, bytes.count) != bytes.count { exit(0) }
  }
}

/// Reports a violation to the parent.
func complain(_ words: String) {
  FileHandle.standardError.write(Data("\(words)\n".utf8))
}

/// Reads a number that the parent sends; nil if it sends no more.
func readNumber() -> Int? {
  var number: Int64 = 0
  // The parent writes the eight bytes at once.
  let count = withUnsafeMutableBytes(of: &number) { read(STDIN_FILENO, $0.baseAddress, 8) }
  return count == 8 ? Int(Int64(littleEndian: number)) : nil
}
