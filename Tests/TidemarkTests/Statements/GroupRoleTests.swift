import Testing

@testable import TidemarkEssentials

/// The place of a write in a group of writes that share a transaction, without a database.
@Suite struct GroupRoleTests {
  static let transitions: [(before: GroupRole, isAllowed: Bool, after: GroupRole)] = [
    (.none, true, .none), (.first, true, .alone), (.alone, true, .alone), (.follower, false, .rejected),
    (.rejected, false, .rejected),
  ]

  @Test(arguments: transitions)
  func aWriteThatAffectsOthersMustBeTheOnlyOne(_ transition: (before: GroupRole, isAllowed: Bool, after: GroupRole)) {
    var role = transition.before
    #expect(role.requireOwnTransaction() == transition.isAllowed)
    #expect(role == transition.after)
  }
}
