import Foundation

/// The time of all processors since the machine was started, as the system counts it. C: `/proc/stat`.
///
/// The host of a virtual machine gives a part of the time to other machines. This makes single times, and the worst
/// of them most, longer than they would be.
struct MachineTime {
  private let wanted: Double
  private let stolen: Double

  init?() {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
    // user, nice, system, idle, iowait, irq, softirq, steal.
    let counts = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard counts.count >= 8 else { return nil }
    stolen = counts[7]
    wanted = counts[..<8].reduce(0, +) - counts[3] - counts[4]
  }

  /// The share of the requested time that the host gave to others since another moment.
  func stolenShare(since begin: MachineTime) -> Double? {
    wanted > begin.wanted ? (stolen - begin.stolen) / (wanted - begin.wanted) * 100 : nil
  }
}
