import Foundation
import StressSupport

/// Executes the transactions that the parent sends: see `ShapeWriters`. It acknowledges each of them.
func writeShapes(path: String, name: String) throws {
  let writers = try ShapeWriters(ShapeWriters.Plan(text: name), path: path)
  // The first acknowledgement says that the connections are open.
  acknowledge(0)
  while let data = readMessage() {
    writers.execute(try JSONDecoder().decode(ShapeWriters.Order.self, from: data))
    acknowledge(1)
  }
  try writers.close()
}

/// Reads bytes that the parent sends, after their number; nil if it sends no more.
private func readMessage() -> Data? {
  let input = FileHandle.standardInput
  guard let count = readNumber() else { return nil }
  var data = Data()
  while data.count < count {
    let next = input.readData(ofLength: count - data.count)
    if next.isEmpty { return nil }
    data += next
  }
  return data
}
