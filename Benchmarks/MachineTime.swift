import Foundation

/// The time of all processors since the machine was started, as the system counts it. C: `/proc/stat`.
///
/// A virtual machine does not run all the time that it wants to run. What the host gives to others meanwhile makes
/// single times, and the worst of them most, longer than they are.
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

  /// How much of the time that programs wanted since another moment the host gave to others.
  func stolenShare(since begin: MachineTime) -> Double? {
    wanted > begin.wanted ? (stolen - begin.stolen) / (wanted - begin.wanted) * 100 : nil
  }
}
