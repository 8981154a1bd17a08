import Foundation

/// A network of members that can be split, each in a network namespace of its own.
///
/// A shell, in a namespace of its own too, has two bridges. All members are connected with one of them. A split moves
/// some members to the other one: packets between the two sides disappear, as if a cable was cut. The shell ends with
/// the end of its standard input, and with it all namespaces, also if the process of the tests crashes.
///
/// The process of the tests is connected with the first bridge.
final class ClusterNetwork: Sendable {
  private let subnet: Int
  private let holders: [String]
  private let shell: Process
  private let input = Pipe()
  private let output = Pipe()

  /// Arguments: the process of the tests, the number of the subnet, and the number of members.
  private static let script = """
    set -e
    parent=$1 subnet=$2 count=$3 holders=
    trap 'kill -9 $holders 2>/dev/null' EXIT
    for bridge in 0 1; do
      ip link add bridge$bridge type bridge
      ip link set bridge$bridge up
    done
    ip link add parent type veth peer name tidemark$subnet netns "$parent"
    ip link set parent master bridge0 up
    nsenter -t "$parent" -n ip addr add 198.18.$subnet.254/24 dev tidemark$subnet
    nsenter -t "$parent" -n ip link set tidemark$subnet up
    member=0
    while [ $member -lt "$count" ]; do
      unshare -n sleep infinity &
      holders="$holders $!"
      while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
      ip link add member$member type veth peer name eth0 netns $!
      ip link set member$member master bridge0 up
      nsenter -t $! -n ip addr add 198.18.$subnet.$((member + 1))/24 dev eth0
      nsenter -t $! -n ip link set eth0 up
      nsenter -t $! -n ip link set lo up
      member=$((member + 1))
    done
    echo $holders
    while read -r bridge member; do
      ip link set "member$member" master "bridge$bridge"
      echo moved
    done
    """

  /// Creates a network, if this process may do so.
  ///
  /// - Returns: Nil if it may not: it requires root, and the commands `ip`, `unshare` and `nsenter`.
  init?(memberCount: Int) throws {
    guard geteuid() == 0 else { return nil }
    subnet = Int.random(in: 1...250)
    shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    shell.arguments = [
      "unshare", "-n", "sh", "-c", Self.script, "sh", "\(getpid())", "\(subnet)", "\(memberCount)",
    ]
    shell.standardInput = input
    shell.standardOutput = output
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    holders = line.split(whereSeparator: \.isWhitespace).map(String.init)
    guard holders.count == memberCount else {
      stop()
      return nil
    }
  }

  deinit { stop() }

  func stop() {
    // The shell may have ended by itself.
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  /// The address of a member.
  func host(of member: Int) -> String { "198.18.\(subnet).\(member + 1)" }

  /// The command that executes a program as a member.
  func launcher(of member: Int) -> [String] { ["/usr/bin/nsenter", "--net=/proc/\(holders[member])/ns/net"] }

  /// Separates members from the others.
  func split(_ members: [Int]) throws { try move(members, to: 1) }

  /// Connects all members again.
  func heal() throws { try move(Array(holders.indices), to: 0) }

  private func move(_ members: [Int], to bridge: Int) throws {
    for member in members {
      try input.fileHandleForWriting.write(contentsOf: Data("\(bridge) \(member)\n".utf8))
      guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "moved\n" else {
        throw UnexpectedResult()
      }
    }
  }
}
