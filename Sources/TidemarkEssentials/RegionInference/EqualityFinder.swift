/// Finds the columns that must be equal for a row of a `SELECT`: in its conditions, in joins, and in subqueries.
///
/// A condition such as `EXISTS (…)`, `… IN (…)` or `… = (…)` requires a result of its subquery: it excludes rows
/// without equal values in the tables of the subquery. Conversely, rows of the subquery are irrelevant if no row
/// outside has their values.
struct EqualityFinder {
  typealias Side = RowEquality.Side

  let names: SourceNames

  /// The column names of the queries around a subquery, from the inside out.
  let enclosing: [SourceNames]

  /// The subqueries in the expressions of the `SELECT`.
  let subqueries: [QueryReading]

  struct Findings {
    var equalities: [RowEquality] = []

    /// The equalities from columns inside to columns of enclosing queries.
    var requirements: [RowEquality] = []

    fileprivate static func + (one: Self, other: Self) -> Self {
      Findings(equalities: one.equalities + other.equalities, requirements: one.requirements + other.requirements)
    }
  }

  func equalities(of core: SelectCore) -> Findings {
    var findings = Findings()
    for condition in core.globalConditions { findings = findings + equalities(in: condition) }
    for (index, source) in core.sources.enumerated() where !source.isJoinConditionGlobal {
      guard let condition = source.joinCondition else { continue }
      // A row of the right side without a matching row on the left contributes nothing. The reverse is not true.
      let occurrenceIDs = names.sources[index].occurrenceIDs
      findings.equalities += equalities(in: condition).equalities.filter { occurrenceIDs.contains($0.to.occurrenceID) }
    }
    for (left, right, index) in names.mergedColumns(core) where RowEquality.areComparable(left.column, right.column) {
      findings.equalities.append(RowEquality(from: left, to: right))
      if core.sources[index].isJoinConditionGlobal { findings.equalities.append(RowEquality(from: right, to: left)) }
    }
    return findings
  }

  private func equalities(in condition: SelectExpression) -> Findings {
    switch condition {
    case .and(let terms):
      return terms.reduce(Findings()) { $0 + equalities(in: $1) }
    case .comparison(.equal, .column(let lhs), .column(let rhs)):
      return equalities(lhs, rhs)
    case .comparison(.equal, .column(let column), .scalar(let number)),
      .comparison(.equal, .scalar(let number), .column(let column)):
      return membership(column, subqueries[number], isExact: false) + requirements(of: number)
    case .comparison(.identical, _, _), .comparison(.notIdentical, _, _):
      return Findings()
    case .comparison(_, _, .scalar(let number)), .comparison(_, .scalar(let number), _):
      return requirements(of: number)
    case .memberOf(let element, let number):
      guard case .column(let column) = element else { return requirements(of: number) }
      return membership(column, subqueries[number], isExact: subqueries[number].isMembershipExact)
        + requirements(of: number)
    case .exists(let number):
      return requirements(of: number)
    default:
      return Findings()
    }
  }

  private func equalities(_ lhs: ColumnReference, _ rhs: ColumnReference) -> Findings {
    switch (names.origin(of: lhs), names.origin(of: rhs)) {
    case (let left?, let right?):
      guard left.occurrenceID != right.occurrenceID, RowEquality.areComparable(left.column, right.column) else {
        return Findings()
      }
      return Findings(equalities: [RowEquality(from: left, to: right), RowEquality(from: right, to: left)])
    case (let inner?, nil):
      return correlation(inner, rhs)
    case (nil, let inner?):
      return correlation(inner, lhs)
    case (nil, nil):
      return Findings()
    }
  }

  /// A column that equals a column of an enclosing query.
  private func correlation(_ inner: Side, _ reference: ColumnReference) -> Findings {
    guard names.lack(reference), let outer = enclosingColumn(reference),
      RowEquality.areComparable(inner.column, outer.column)
    else { return Findings() }
    return Findings(
      equalities: [RowEquality(from: outer, to: inner)], requirements: [RowEquality(from: inner, to: outer)])
  }

  private func enclosingColumn(_ reference: ColumnReference) -> Side? {
    for names in enclosing {
      if let side = names.origin(of: reference) {
        // In the condition of an outer join, a subquery may decide about rows that the other conditions exclude.
        let isNullable = names.sources.contains { $0.isNullable && $0.occurrenceIDs.contains(side.occurrenceID) }
        return isNullable ? nil : side
      }
      if !names.lack(reference) { return nil }
    }
    return nil
  }

  // MARK: - Subqueries

  private func membership(_ reference: ColumnReference, _ query: QueryReading, isExact: Bool) -> Findings {
    guard let inner = query.onlyColumn, let outer = names.origin(of: reference),
      inner.occurrenceID != outer.occurrenceID, RowEquality.areComparable(inner.column, outer.column)
    else { return Findings() }
    let reverse = isExact ? [RowEquality(from: outer, to: inner)] : []
    return Findings(equalities: [RowEquality(from: inner, to: outer)] + reverse)
  }

  /// The rows without which a subquery returns nothing, if a condition requires a result.
  private func requirements(of number: Int) -> Findings {
    let own = names.sources.flatMap(\.occurrenceIDs)
    var findings = Findings()
    for requirement in subqueries[number].requirements {
      if own.contains(requirement.to.occurrenceID) {
        findings.equalities.append(requirement)
      } else {
        findings.requirements.append(requirement)
      }
    }
    return findings
  }
}

extension SelectCore {
  /// The conditions that all rows of the result satisfy: from `WHERE`, and from inner joins.
  var globalConditions: [SelectExpression] {
    sources.filter(\.isJoinConditionGlobal).compactMap(\.joinCondition) + [condition].compactMap { $0 }
  }
}
