import StressSupport
import Testing

/// The programs that tests start.
@Suite(.enabled(if: Child.isBuilt("ClusterChild"))) struct ChildTests {
  @Test func `orders to a program that has ended have no effect, and its complaint is reported`() throws {
    // It ends at once, because its arguments are missing.
    let child = try Child(program: "ClusterChild", arguments: [])
    #expect(child.receive() == nil)
    for number in 1...3 as ClosedRange<Int64> { child.send(number) }
    child.goOn()
    let (numbers, complaint) = child.killReceivingRest()
    #expect(numbers == [])
    #expect(complaint.hasPrefix("ClusterChild honest|early|stale"))
  }
}
