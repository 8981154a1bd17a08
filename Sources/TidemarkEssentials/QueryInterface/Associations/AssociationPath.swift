/// The tables that an association leads through, from the origin to the destination.
///
/// Do not use this type: it is an implementation detail of associations.
public struct _AssociationPath: Sendable {
  /// The steps after the origin. The last one leads to the destination.
  private(set) var steps: [AssociationStep]

  init(_ step: AssociationStep) {
    steps = [step]
  }

  /// Creates the path of an association through another table.
  init(_ pivot: _AssociationPath, _ target: _AssociationPath) {
    steps = pivot.steps + target.steps
  }

  /// The last step.
  var destination: AssociationStep {
    get { steps[steps.count - 1] }
    set { steps[steps.count - 1] = newValue }
  }
}

// MARK: - Direct associations

extension _AssociationPath {
  static func belongsTo(
    _ origin: String, _ destination: SQLRelation, _ key: String?, _ foreignKey: ForeignKey?
  ) -> _AssociationPath {
    let name = destination.source.tableName
    let columns = SQLJoinColumns(from: origin, to: name, foreignKey, originIsLeft: true)
    return _AssociationPath(
      AssociationStep(
        key: key.map { .singular($0) } ?? .tableName(name), isToMany: false, condition: .columns(columns),
        relation: destination))
  }

  static func hasOne(
    _ origin: String, _ destination: SQLRelation, _ key: String?, _ foreignKey: ForeignKey?
  ) -> _AssociationPath {
    let name = destination.source.tableName
    let columns = SQLJoinColumns(from: name, to: origin, foreignKey, originIsLeft: false)
    return _AssociationPath(
      AssociationStep(
        key: key.map { .singular($0) } ?? .tableName(name), isToMany: false, condition: .columns(columns),
        relation: destination))
  }

  static func hasMany(
    _ origin: String, _ destination: SQLRelation, _ key: String?, _ foreignKey: ForeignKey?
  ) -> _AssociationPath {
    var path = hasOne(origin, destination, nil, foreignKey)
    path.destination.isToMany = true
    if let key { path.destination.key = .plural(key) }
    return path
  }
}

/// A step of an association, from a table to the next one.
struct AssociationStep: Sendable {
  var key: AssociationKey
  var isToMany: Bool
  var condition: SQLJoinCondition
  var relation: SQLRelation

  func child(_ kind: SQLRelationChild.Kind) -> SQLRelationChild {
    let usesPlural = kind == .all || kind == .bridge && isToMany
    return SQLRelationChild(
      key: usesPlural ? key.plural : key.singular, kind: kind, condition: condition, relation: relation)
  }
}

/// The key of an association: the name of its scope or of its prefetched rows.
enum AssociationKey: Sendable {
  /// The name of a table, which may be singular or plural.
  case tableName(String)

  /// A name from the program for one row.
  case singular(String)

  /// A name from the program for several rows.
  case plural(String)

  /// The name of a scope.
  var singular: String {
    switch self {
    case .singular(let name): name
    case .tableName(let name), .plural(let name): Inflections.defaultSingular(name)
    }
  }

  /// The name of prefetched rows.
  var plural: String {
    switch self {
    case .plural(let name): name
    case .tableName(let name), .singular(let name): Inflections.defaultPlural(name)
    }
  }
}

// MARK: - Adding an association to a relation

extension SQLRelation {
  /// Joins the tables of an association.
  ///
  /// - Parameter kind: `required` or `optional`. It applies to all tables of the association.
  mutating func join(_ path: _AssociationPath, _ kind: SQLRelationChild.Kind) {
    add(path.child(kind, through: kind))
  }

  /// Fetches the rows of an association with a query of its own.
  mutating func prefetch(_ path: _AssociationPath) {
    add(path.child(.all, through: .bridge))
  }
}

extension _AssociationPath {
  /// Returns the first step as a child, which contains the next step, and so on.
  fileprivate func child(_ kind: SQLRelationChild.Kind, through pivotKind: SQLRelationChild.Kind) -> SQLRelationChild {
    var child = destination.child(kind)
    for step in steps.dropLast().reversed() {
      var pivot = step.child(pivotKind)
      pivot.relation = pivot.relation.withoutSelection
      pivot.relation.add(child)
      child = pivot
    }
    return child
  }

  /// The association without its own selection.
  var withoutSelection: _AssociationPath {
    var path = self
    path.destination.relation = destination.relation.withoutSelection
    return path
  }
}
