import Foundation

extension UUID {
  /// The 16 bytes of the identity.
  var bytes: [UInt8] { withUnsafeBytes(of: uuid, Array.init) }

  /// - Parameter bytes: 16 bytes.
  init(bytes: some Collection<UInt8>) {
    precondition(bytes.count == 16, "A UUID has 16 bytes")
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
    self.init(uuid: value)
  }

  /// A random identity, of version 4. On Linux, `UUID()` opens a device for each, which takes longer than a statement.
  static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    var bytes = (generator.next() as UInt64).bigEndianBytes + (generator.next() as UInt64).bigEndianBytes
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return UUID(bytes: bytes)
  }
}
