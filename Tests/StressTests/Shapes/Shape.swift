/// A construct of SQL that a query has, or a kind of change that a transaction makes.
///
/// The distribution of a run counts the pairs of a query and a transaction for each shape.
enum Shape: String, CaseIterable, Sendable {
  // Tables and other sources of rows.
  case view, fullTextTable, rTree, withoutRowID, generatedColumn, temporaryTable, attachedTable, jsonEach, rowID
  case strictTable, hiddenRowID, descendingKey, checkedColumn, notNullColumn, uniqueIndex, customCollationOfColumn
  case schemaTable, pragmaTable, lateralTable, internalTable, otherCase
  case externalContent, contentlessTable, fullTextVocabulary, fullTextFunction, formerFullTextTable
  case subqueryInFrom, commonTable, recursiveCommonTable, values, outerJoinOfSubquery, resultWithoutAlias

  // Joins.
  case innerJoin, leftJoin, rightJoin, fullJoin, crossJoin, commaJoin, usingJoin, nestedJoin
  case naturalJoin, naturalLeftJoin, naturalRightJoin, naturalFullJoin

  // Conditions and expressions.
  case equality, inequality, columnEquality, inList, between, isNull, isOperator, like, glob, match, rowValue, or, not
  case exists, notExists, inSubquery, notInSubquery, inTable, inColumns, scalarSubquery, correlatedSubquery
  case customFunction, customCollation
  case arithmetic, function, caseExpression, cast, collation, parameter

  // Results.
  case allColumns, distinct, aggregate, filteredAggregate, groupBy, having, window, union, unionAll, except, intersect
  case orderBy, limit, offset, namedWindow, windowFunction, withoutIndexes, jsonOperator

  // Requests of the query interface.
  case request, requestCount, requestLimit, requestOffset, requestOfKeys, nestedAssociation
  case association, prefetchedAssociation, associationAggregate, requestWithCommonTable

  // Observations.
  case constantRegion, givenRegion, sharedObservation, twoQueries, firstRow, firstRowOfCursor, differences
  case sharedDifferences, incrementalResult

  // Consumers of changes: see `ShapeFollower`.
  case changeStream, changeFeed, rowsOfExternalCommit

  // Statements that change rows.
  case insert, update, delete, deleteAll, insertFromSelect, upsert, updateFrom, returning, updateOfKey,
    changeWithCommonTable, rowValueUpdate, defaultValues, conditionalUpsert, rebuild, temporaryTrigger
  case orReplace, orIgnore, orFail, orAbort, orRollback
  case trigger, triggerOfColumns, conditionalTrigger, ignoringTrigger, recursiveTriggers, insteadOfTrigger
  case foreignKeyAction, writeToFullTextTable, writeToRTree, writeToTemporaryTable
  case writeToAttachedTable, blobWrite, manyRows

  // Transactions and databases.
  case utf16
  case autocommit, explicitTransaction, savepoint, rollbackToSavepoint, savepointOfLibrary, concurrentWrites
  case rawHandle, schemaChange, vacuum, checkpoint
  case unfinishedStatement, analyze, userVersion, changedPragma, restore, attachedAgain
  case otherConnection, connectionWithoutLibrary, otherProcess, otherFeedWriter
}

extension Shape {
  /// The shapes that databases of a kind cannot have.
  static func missing(in kind: ShapeDatabase.Kind) -> Set<Shape> {
    switch kind {
    case .memory: [.otherConnection, .connectionWithoutLibrary, .otherProcess, .otherFeedWriter, .rowsOfExternalCommit]
    case .queue: [.otherProcess]
    // Readers see neither the temporary tables of the writer, nor the databases that only the writer attaches.
    case .pool: [.otherProcess, .temporaryTable, .writeToTemporaryTable, .temporaryTrigger, .attachedAgain]
    case .processes: [.temporaryTable, .writeToTemporaryTable, .temporaryTrigger, .attachedAgain]
    }
  }
}
