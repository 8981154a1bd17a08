#!/usr/bin/env python3
"""Renames the internal names of Tidemark, and its own public names, in a checkout.

    rename.py ROOT [--check]

The script is word-based, deterministic and idempotent: it can be run on any state of the repository, and again.
Names of test functions are in `rename-tests.tsv` beside this file. Afterwards, run
`swift format --in-place --recursive` on the Swift files: longer names may make lines too long.

Scopes: `NAME` alone is replaced as a whole word in all text files, comments and strings included. `code` names are
replaced in Swift code, in backticks and `- parameter` fields of comments, and in code spans of Markdown; a list of
path patterns behind `@` limits them to these files (TE/ stands for Sources/TidemarkEssentials/, DB/ for
Sources/SQLiteDB/, TT/ for Tests/TidemarkTests/; a pattern without `/` is a file name without `.swift`).
"""

import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# --------------------------------------------------------------------------------------------------------------------
# Folders and files: old → new. Folders first.

FOLDERS = """
Sources/TidemarkEssentials/Following                Sources/TidemarkEssentials/IncrementalResults
Sources/TidemarkEssentials/Statements/Narrowing     Sources/TidemarkEssentials/Statements/RegionInference
Tests/TidemarkTests/Following                       Tests/TidemarkTests/IncrementalResults
Tests/HouseTests                                    Tests/ArchitectureTests
"""

FILES = """
TE/PackageDoors.swift                               PackageInterface.swift
TE/Connections/AccessPlaces.swift                   InlineExecutionPolicy.swift
TE/Connections/AccessTurn.swift                     AccessAdmission.swift
TE/Connections/BarrierTurn.swift                    BarrierAdmission.swift
TE/Connections/CommitLookout.swift                  ExternalCommitSchedule.swift
TE/Connections/CommitNumbering.swift                DatabaseVersionNumbering.swift
TE/Connections/CommitWatch.swift                    ExternalCommitMonitor.swift
TE/Connections/CommitWatcher.swift                  ExternalCommitPoller.swift
TE/Connections/CommitsByOthers.swift                ExternalCommitDetection.swift
TE/Connections/PoolCommitGauge.swift                PoolCommitDetector.swift
TE/Connections/QueueCommitGauge.swift               QueueCommitDetector.swift
TE/Connections/Database+TakingState.swift           Database+SnapshotState.swift
TE/Connections/Database+Telling.swift               Database+ResultHandler.swift
TE/Connections/DatabaseGround.swift                 DatabaseCore.swift
TE/Connections/WaitingLine.swift                    WaitQueue.swift
TE/Engine/Array+Emptying.swift                      Array+KeepingCapacity.swift
TE/Engine/Condition.swift                           ConditionVariable.swift
TE/Engine/ConnectionHandle+Looking.swift            ConnectionHandle+FileHead.swift
TE/Engine/OwnCommits.swift                          OwnCommitTracker.swift
TE/Engine/WorldClock.swift                          MonotonicClock.swift
TE/IncrementalResults/FollowedResult.swift          IncrementalResult.swift
TE/IncrementalResults/FollowedRows.swift            IncrementalFetcher.swift
TE/IncrementalResults/QueryClauses.swift            PlainQueryClauses.swift
TE/IncrementalResults/RowPlan.swift                 RowFetchPlan.swift
TE/IncrementalResults/RowReading.swift              OrderedRowReader.swift
TE/IncrementalResults/RowwiseQuery.swift            IncrementalQuery.swift
TE/Observation/LiveEngine+Rounds.swift              LiveEngine+FetchBatches.swift
TE/Observation/LiveEngine+States.swift              LiveEngine+SnapshotState.swift
TE/Observation/LiveMetrics.swift                    ObservationMetrics.swift
TE/Observation/LiveRound.swift                      FetchBatch.swift
TE/Observation/LiveState+Rounds.swift               LiveState+FetchBatches.swift
TE/Observation/LiveState+Settling.swift             LiveState+Results.swift
TE/Observation/NumberedValue.swift                  Versioned.swift
TE/Observation/StateNews.swift                      SnapshotChanges.swift
TE/Regions/RowChange.swift                          RowChange.swift
TE/Statements/Abandoned.swift                       DeferredReleases.swift
TE/Statements/CompilationObserver.swift             CompilationRecorder.swift
TE/Statements/DatabaseStanding.swift                DatabaseHealth.swift
TE/Statements/ExecutionWatcher.swift                ExecutionObserver.swift
TE/Statements/QuietSteps.swift                      CaptureBypass.swift
TE/Statements/Selection.swift                       ReadSet.swift
TE/Statements/RegionInference/OccurrenceReader.swift  OccurrenceCollector.swift
TE/Statements/RegionInference/RegionProbe.swift     RefinementQuery.swift
TE/Statements/RegionInference/RegionProbing.swift   RegionRefiner.swift
TE/Transactions/ChangeCapture+Quiet.swift           ChangeCapture+Bypass.swift
TE/Transactions/StatementsThatFail.swift            Statement+PartialFailure.swift
TE/Transactions/WatchedTable.swift                  CapturedTable.swift
DB/Codable/RowDecoder.swift                         RowDecoder.swift
DB/Rows/RowLayout.swift                             ResultRowLayout.swift
DB/Rows/RowLayout+Queries.swift                     ResultRowLayout+Queries.swift
TT/Connections/AccessPlacesTests.swift              InlineExecutionPolicyTests.swift
TT/Connections/CommitNumberingTests.swift           DatabaseVersionNumberingTests.swift
TT/Connections/InPlaceAccessTests.swift             InlineAccessTests.swift
TT/Connections/InPlaceReadTests.swift               InlineReadTests.swift
TT/Connections/OtherFilesTests.swift                AttachedFileTests.swift
TT/Connections/PoolLifeTests.swift                  PoolLifecycleTests.swift
TT/Connections/PoolOthersTests.swift                SeveralPoolTests.swift
TT/Connections/WaitingLineTests.swift               WaitQueueTests.swift
TT/IncrementalResults/FollowedResultTests.swift     IncrementalResultTests.swift
TT/IncrementalResults/OddRequestTests.swift         UnusualRequestTests.swift
TT/IncrementalResults/OddWriteTests.swift           UnusualWriteTests.swift
TT/IncrementalResults/RequestHome.swift             RequestDatabase.swift
TT/IncrementalResults/RequestStormTests.swift       ConcurrentRequestTests.swift
TT/IncrementalResults/RowwiseQueryTests.swift       IncrementalQueryTests.swift
TT/Observation/CommitLookoutTests.swift             ExternalCommitScheduleTests.swift
TT/Observation/CommitNumberTests.swift              DatabaseVersionTests.swift
TT/Observation/OthersCommitTests.swift              ExternalCommitTests.swift
TT/Observation/OthersLimitTests.swift               ExternalCommitLimitTests.swift
TT/Observation/OwnCommitTests.swift                 OwnCommitTrackerTests.swift
TT/Observation/SharedRoundTests.swift               FetchBatchTests.swift
TT/Observation/UntoldCommitTests.swift              UnreportedCommitTests.swift
TT/Records/EnemyRecordTests.swift                   UnusualRecordTests.swift
TT/Records/KeptDecoderTests.swift                   ReusableDecoderTests.swift
TT/Records/KindsOfKeysTests.swift                   PrimaryKeyKindTests.swift
TT/Regions/NarrowedRegionTests.swift                InferredRegionTests.swift
TT/Regions/NarrowingOracleTests.swift               RegionInferenceOracleTests.swift
TT/Regions/RegionFloorTests.swift                   RegionCompletenessTests.swift
TT/Statements/SelectionTests.swift                  ReadSetTests.swift
TT/Support/Chance.swift                             SeededRandom.swift
TT/Transactions/KeptChangesTests.swift              RetainedChangesTests.swift
TT/Transactions/ObserverOfCommitsTests.swift        CommitObserverTests.swift
TT/Transactions/ObserverOfUndoneChangesTests.swift  RollbackObserverTests.swift
TT/Transactions/OtherChangeTests.swift              SchemaAndForeignChangeTests.swift
TT/Transactions/QuietStepTests.swift                CaptureBypassTests.swift
Tests/ArchitectureTests/DoorTests.swift             CCallTests.swift
Tests/ArchitectureTests/Doors.swift                 CCalls.swift
Tests/ArchitectureTests/RoomOrder.swift             ModuleOrder.swift
Tests/ArchitectureTests/RoomOrderTests.swift        ModuleOrderTests.swift
Tests/FaultTests/Kills/KilledDeedTests.swift        KilledOperationTests.swift
Tests/StressChild/Deeds.swift                       Operations.swift
Tests/StressChild/Telling.swift                     Reporting.swift
Tests/StressTests/BankTests.swift                   BankTests.swift
Tests/TestSupport/Patience.swift                    WaitLimit.swift
Tests/TypeChecking/Yardstick.swift                  Baseline.swift
Demo/Model/Guarded.swift                            Locked.swift
"""

# --------------------------------------------------------------------------------------------------------------------
# Names. `old new`: everywhere. `code: old new @ scope`: Swift code.

NAMES = """
# --- Public names of our own
noticesCommitsByOthers      externalCommitDetection
CommitsByOthers             ExternalCommitDetection
NumberedValue               Versioned
withCommitNumbers           withDatabaseVersions
commitNumber                databaseVersion
retryingPassingErrors       retryingTransientErrors
statementCacheCountMax      maximumCachedStatementCount
liveMetrics                 observationMetrics
LiveMetrics                 ObservationMetrics
othersCommitCount           externalCommitCount
allowsOtherFiles            allowsAttachedFiles
readInPlace                 readInline
_DatabaseGround             _DatabaseCore
_ground                     _core
DatabaseGround              DatabaseCore
_decodeKept                 _decodeCopy
code: RowChange WriteStatement @ DB/*, Tests/SQLiteDBTests/*
code: Numbered DatabaseVersions @ TE/*

# --- Database core, modules
PackageDoors                PackageInterface
DatabasePart                DatabaseModuleState
DialectPlan                 CachedPlan
dialectPlan                 cachedPlan
ConfigurationPart           ConfigurationState
SchemaSourcePart            SchemaSourceState
TransactionDatePart         TransactionDateState
code: Tenant Component
code: tenant component @ TE/*
code: ground core @ TE/Connections/*, TE/Observation/*, TE/Streams/*, TT/*
code: part moduleState @ TE/Statements/Database, TE/Statements/Database+Access, TransactionClock
code: parts moduleStates @ TE/Statements/Database, TE/Statements/Database+Access
code: Part State @ TE/Statements/Database
code: rowPlan cachedRowPlan @ TE/Statements/*, DB/*
code: twin makeCopy @ TE/*, DB/*
knowingTheSchema            retryingAfterSchemaChange
letGoOfClosures             releaseClosures

# --- Whether a database is usable; failures
DatabaseStanding            DatabaseHealth
isSound                     isUsable
checkStanding               checkHealth
code: standing health @ TE/*, TT/*
owedRollback                pendingRollback
payRollback                 performPendingRollback
payReadOnly                 endPendingReadOnly
checkNoRollbackIsOwed       checkNoPendingRollback
judgingCopy                 interpretingCopyFailure
outsideOfTransactionLaw     withoutTransactionChecks
code: judge interpretFailure @ TE/Statements/*
code: told failure @ TE/Statements/Database+Failures
code: told failure @ TE/Statements/Statement
code: owed pending @ TE/Transactions/Database+Transactions
mendedIn                    fixedIn
mendedBranches              fixedBranches

# --- Accesses
AccessPlaces                InlineExecutionPolicy
AccessPlacesTests           InlineExecutionPolicyTests
AccessTurn                  AccessAdmission
BarrierTurn                 BarrierAdmission
code: Place Permit @ InlineExecutionPolicy, InlineExecutionPolicyTests
code: place permit @ InlineExecutionPolicy, InlineExecutionPolicyTests, SerializedConnection, ReaderPool+Accesses
code: places inlinePolicy @ SerializedConnection, ReaderPool, ReaderPool+Accesses
code: places policy @ InlineExecutionPolicyTests
code: watching measuring @ InlineExecutionPolicy, InlineExecutionPolicyTests, SerializedConnection, ReaderPool+Accesses
code: giveBack cancel @ InlineExecutionPolicy, InlineExecutionPolicyTests
hasPlace                    hasPermit
priceOfLength               longAccessPenalty
allowsAccessesInPlace       allowsInlineExecution
code: inPlace runInline @ SerializedConnection, ReaderPool+Accesses, DatabasePool+Reading
leaveInPlace                leaveInline
untilInPlace                untilInline
InPlaceAccessTests          InlineAccessTests
InPlaceReadTests            InlineReadTests
InPlaceScheduler            InlineScheduler
code: InPlace Inline @ Tests/*
WaitingPlace                WaitSignal
makePlace                   makeWaitSignal
SimulatedPlace              SimulatedWaitSignal
code: place signal @ AccessGate, NestedWrites, ReaderPool, DeliveryMailbox, MailboxMachine, LiveQueryMachineTests, Simulation
code: tell notify @ AccessGate, NestedWrites, ReaderPool, DeliveryMailbox, Environment, Simulation
code: isTold isNotified @ Simulation
code: tell waiters @ MailboxMachine
whoWaits                    waiters
WaitingLine                 WaitQueue
WaitingLineTests            WaitQueueTests
WaitingLineGateTests        WaitQueueGateTests
code: line waitQueue @ AccessGate, ReaderPoolMachine, ReaderPoolMachineTests, WaitQueueTests
liveLine                    liveWaitQueue
FaultyLine                  FaultyWaitQueue
code: places entries @ WaitQueue
firstPlace                  firstEntry
placeCount                  entryCount
code: ask requestAdmission @ AccessGate, NestedWrites
LetIn                       AdmissionHandler
letIn                       onAdmission
code: Loan Lease @ TE/Connections/*
code: loan lease @ TE/Connections/*
code: loans leases @ TE/Connections/*
code: lend lease @ ReaderPoolMachine
code: lent leased @ ReaderPoolMachine, ReaderPoolMachineTests
lentCount                   leasedCount
lentToLiveQueries           leasedToLiveQueries
code: borrow acquire @ TE/Connections/*
borrowLive                  acquireForLiveQueries
borrowAsleep                acquireAsynchronously
borrowNow                   acquireNow
borrowOpenNow               acquireOpenNow
borrowIdle                  acquireIdle
borrowUnlessInherited       acquireUnlessInherited
borrowInPlace               acquireInline
code: giveBack release @ DatabasePool+Reading, DatabaseSnapshotPool, ReaderPool+Accesses, ReaderPool, ReaderPoolMachine, ReaderPoolMachineTests
giveBackEverything          releaseAll
requestEverything           requestAll
isOfNow                     isCurrentGeneration
code: inPassing withIdleConnection @ TE/*
waitingForOthers            retryingWhenBusy
beginAnew                   restartLog
moveUnasked                 moveAutomatically
moveWhatIsDue               moveDueLogs
leaveToStatements           closeAfterLastStatement
isDrivenByHand              allowsTransactionsAcrossAccesses
isWatchingForStops          checksForInterruption
watchForStops               setInterruptionChecks
mayBeStopped                mayBeInterrupted
code: watching checkingForInterruption @ AccessCancellation
code: rest remaining @ AccessCancellation, AccessGate, ReaderPool
whenOver                    onExpiry
code: isOver isExpired @ AccessCancellation, ReaderPool
putsOffWork                 defersWork
code: isShared isHandleExposed @ TE/*
code: telling callingHandler @ TE/Connections/Database*, ReaderPool+Accesses
code: isTold isCalled @ Database+ResultHandler
LockIsTaken                 LockUnavailable
code: LockIsTaken LockUnavailable
NewFile                     FileCreation
code: Patience RetryHandler @ CheckpointConnections, Checkpointer
code: patience shouldRetry @ CheckpointConnections, Checkpointer
code: Patience BusyTimeout @ BusyMode
code: patience timeout @ BusyMode
code: rest remaining @ BusyMode
WorldClock                  MonotonicClock
code: Condition ConditionVariable @ TE/*

# --- Releases that wait for the next access
code: Abandoned DeferredReleases
code: abandoned deferredReleases @ TE/*
code: giveBack performPending @ DeferredReleases, TE/Statements/Database+Access, TE/Statements/Database
code: empty removeAllKeepingCapacity @ Array+KeepingCapacity

# --- External commits
CommitWatch                 ExternalCommitMonitor
CommitWatching              ExternalCommitSubscription
CommitWatcher               ExternalCommitPoller
CommitLookout               ExternalCommitSchedule
CommitLookoutTests          ExternalCommitScheduleTests
CommitGauge                 ExternalCommitDetector
PoolCommitGauge             PoolCommitDetector
QueueCommitGauge            QueueCommitDetector
CommitFinding               CommitCheckResult
LookingThread               PollingThread
OwnCommits                  OwnCommitTracker
OwnCommitNotes              OwnCommitTracking
OwnCommitTests              OwnCommitTrackerTests
OthersCommitTests           ExternalCommitTests
OthersLimitTests            ExternalCommitLimitTests
OthersBenchmark             ExternalCommitBenchmark
watchCommitsByOthers        subscribeToExternalCommits
noteOwnCommits              trackOwnCommits
CommitNumbering             DatabaseVersionNumbering
CommitNumberingTests        DatabaseVersionNumberingTests
CommitNumberTests           DatabaseVersionTests
commitNumberAttemptMax      databaseVersionAttemptMax
setCommitNumber             setDatabaseVersion
TakenState                  SnapshotState
takeState                   acquireSnapshotState
listensToFiles              usesFileEvents
lookoutRest                 commitPollingInterval
unheardRest                 frequentPollingInterval
deafPause                   minimumInterruptiblePause
lookAround                  pollDatabases
code: Attention DetectionMode @ TE/Connections/*
code: attention detectionMode @ ExternalCommitMonitor, ExternalCommitPoller, DatabaseCore
code: gauge detector @ ExternalCommitMonitor, DatabaseCore
code: News Event @ ExternalCommitMonitor, DatabaseCore
code: tell notify @ ExternalCommitMonitor, DatabaseCore
code: telling notifying @ ExternalCommitMonitor
isTelling                   isNotifying
setIsTelling                setIsNotifying
code: telling notifying @ ExternalCommitPoller
owesNews                    hasPendingNotification
code: watch monitor @ ExternalCommitMonitor
code: watcher poller @ ExternalCommitPoller
code: looking active @ ExternalCommitMonitor
code: resting polling @ ExternalCommitMonitor, ExternalCommitPoller, DatabaseCore
code: listening fileEvents @ ExternalCommitMonitor, ExternalCommitPoller, DatabaseCore
code: deaf frequentPolling @ ExternalCommitMonitor, ExternalCommitPoller, DatabaseCore
code: listens usesFileEvents @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitSchedule, ExternalCommitScheduleTests
code: listen updateWatchedFolders @ ExternalCommitPoller
code: lose stopWatching @ ExternalCommitPoller
code: lookout schedule @ ExternalCommitPoller, ExternalCommitScheduleTests
code: Place MonitoredDatabase @ ExternalCommitPoller
code: place database @ ExternalCommitPoller
code: places databases @ ExternalCommitPoller
code: isMuted ignoresFileEvents @ ExternalCommitPoller, ExternalCommitSchedule, ExternalCommitScheduleTests
code: mute ignoreFiles @ ExternalCommitPoller, FileEvents
code: look check @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitDetection, PoolCommitDetector, QueueCommitDetector, OwnCommitTracker, OwnCommitTrackerTests
lookIntoLog                 checkLog
lookIntoFile                checkDatabaseFile
lookInside                  checkInsideAccess
didLook                     didCheck
lookCount                   checkCount
code: hasFound hasDetectedCommit @ ExternalCommitSchedule
code: told lastFileChange @ ExternalCommitSchedule
code: ownCommit lastOwnCommit @ ExternalCommitSchedule
code: isPatient waitsForOwnCommit @ ExternalCommitSchedule, ExternalCommitPoller, ExternalCommitScheduleTests
code: patience commitTimeout @ ExternalCommitSchedule, ExternalCommitScheduleTests
code: ownPatience ownCommitTimeout @ ExternalCommitSchedule
code: patience waitsForOwnCommit @ ExternalCommitMonitor, ExternalCommitDetection, PoolCommitDetector, QueueCommitDetector, OwnCommitTracker
code: rest pollingInterval @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitSchedule, ExternalCommitScheduleTests, DatabaseCore
code: moved fileMoved @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitDetection, ExternalCommitSchedule, PoolCommitDetector, QueueCommitDetector, LiveEngine, ExternalCommitScheduleTests
code: nothing unchanged @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitDetection, ExternalCommitSchedule, PoolCommitDetector, QueueCommitDetector, OwnCommitTracker, ExternalCommitScheduleTests, OwnCommitTrackerTests
code: others externalCommit @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitDetection, ExternalCommitSchedule, PoolCommitDetector, QueueCommitDetector, OwnCommitTracker, ExternalCommitScheduleTests, OwnCommitTrackerTests
code: unclear inconclusive @ ExternalCommitMonitor, ExternalCommitPoller, ExternalCommitDetection, ExternalCommitSchedule, PoolCommitDetector, QueueCommitDetector, OwnCommitTracker, ExternalCommitScheduleTests, OwnCommitTrackerTests
code: notes record @ OwnCommitTracker
code: Notes Record @ OwnCommitTracker
code: told reported @ OwnCommitTracker
code: hasOthers hasUnreportedExternalCommit @ OwnCommitTracker
noteOthers                  noteExternalCommit
isTakingNotes               isTracking
didTell                     didReport
inToldState                 inReportedState
othersCount                 externalCommitCount

# --- Capture of changes
QuietSteps                  CaptureBypass
quietSteps                  captureBypass
QuietStepTests              CaptureBypassTests
code: isQuiet bypassesCapture
quietStep                   stepBypassingCapture
withinQuietStep             withinBypassedStep
allowQuietSteps             allowCaptureBypass
watchQuietStep              endCaptureBypass
isCalm                      needsNoCapture
calmStatement               uncapturedStatement
code: quiet bypass @ StatementWrites, ChangeCapture*, CaptureBypass
code: Mark Eligibility @ CaptureBypass
code: isWatched isCaptured @ CaptureBypass, TE/Statements/Statement
WatchedTable                CapturedTable
WatchPlan                   CapturePlan
isAlwaysWatched             isAlwaysCaptured
watchedCount                capturedStepCount
isFirstStepWatched          isNextStepObserved
endFirstStep                endObservedStep
code: firstStep observedStep @ TE/Statements/Statement
watchRows                   observeRows
CompilationObserver         CompilationRecorder
ExecutionWatcher            ExecutionObserver
code: watcher executionObserver @ TE/Statements/*, TE/Transactions/*
code: settle transactionMayHaveEnded @ TE/Statements/*, TE/Transactions/*
code: judge updateBypass @ ChangeCapture*
tellsUpdates                reportsUpdates
mayTellUpdate               mayReportUpdate
mustTellAll                 mustReportAll
isAlwaysTold                isAlwaysReported
areAllTold                  areAllReported
code: isTold isReported @ TE/Transactions/*
code: told lastReported @ CapturedTable, ChangeCapture+Publishing
code: told observations @ ChangeCapture+Observers
tellWill                    notifyWillChange
tellChange                  notifyUnspecifiedChange
tellObservers               notifyObservers
code: Telling ObserverNotification @ TE/Transactions/*
code: telling notification @ ChangeCapture+Observers, TransactionObserver
wantsSilence                wantsNoMoreChanges
code: isSilent ignoresChanges @ TE/Transactions/*
rowIsOfNoInterest           rowIsUnobserved
muteIfIdle                  disableHookIfUnobserved
code: isMuted isHookDisabled @ ChangeCapture*
code: isIdle isUnobserved @ ChangeCapture*, CapturedTable
findOutWhetherIdle          updateIsUnobserved
code: idleCount unobservedRowCount @ ChangeCapture*
lookForSilence              detectMissingHookCalls
hasCommittedNothing         hasCommittedEmptyTransaction
noteCommitOfNothing         noteEmptyCommit
willCommitNothing           willCommitEmptyTransaction
isTraceMuted                isTraceSuspended
code: place reportIndex @ ChangeCapture+Publishing, CapturedTable
code: place offset @ ChangeCapture+Rows, ChangeLog
code: place position @ CaptureLayout
code: Affinity StorageAffinity @ CaptureLayout
code: Source ColumnSource @ CaptureLayout, ChangeCapture+Rows
code: Order ColumnOrder @ TE/Engine/PreupdateIndexing, CaptureLayout
code: others otherTables @ CaptureNeeds, RegionIndex, ValueObservationTests
putBack                     requeue
tellsRows                   reportsRows
mayHoldPlan                 planMayNotHold

# --- What statements read; region inference
code: Selection ReadSet @ TE/Statements/*, TE/Observation/*, TT/Statements/*
SelectionTests              ReadSetTests
code: selection readSet @ LiveFetch, LiveQuery, LiveState*, TE/Statements/*, LinkedRegionTests, RegionInferenceOracleTests, RecordedRegionTests, RegionBoundTests, ReadSetTests
lastSelection               lastReadSet
recordingSelection          recordingReads
recordSelection             recordReads
forgetSelection             forgetReadSet
OccurrenceReader            OccurrenceCollector
RegionProbe                 RefinementQuery
RegionProbeBuilder          RefinementQueryBuilder
RegionProbing               RegionRefiner
RegionSight                 RegionRefinement
regionProbing               regionRefiner
setSight                    setRefinement
code: sight refinement @ TE/Statements/*
code: nothing unrefined @ TE/Statements/ReadSet, RegionPlan
code: probe refinementQuery @ TE/Statements/*
code: probes refinementQueries @ TE/Statements/*
probesMax                   queryCountMax
probeText                   operatorText
code: Question QueryParts @ RefinementQuery
code: question queryParts @ RefinementQuery
code: Asked Backoff @ RegionRefiner
code: asked backoffs @ RegionRefiner
code: isTold isBounded @ RefinementQuery
code: Place OccurrenceID @ TE/Statements/RegionInference/*
code: place occurrenceID @ TE/Statements/RegionInference/*
code: places occurrenceIDs @ TE/Statements/RegionInference/*
NotUnderstood               UnsupportedSyntax
code: CommonTable CommonTableSyntax @ TE/Statements/RegionInference/*
code: Join JoinOperator @ TE/Statements/RegionInference/*
code: Content RowStorage @ Database+VirtualTables
code: Content Relation @ SelectSyntax
code: Operation ArithmeticOperation @ RowFormula, TE/Statements/RegionInference/*
code: Table WrittenTable @ StatementWrites
code: Table NamedTable @ TE/Statements/StatementReads
DigestBeingMade             DigestBuilder
digestBeingMade             currentDigest
code: places indexes @ TE/Statements/StatementCache
code: place index @ TE/Statements/StatementCache
findPlaces                  rebuildIndexes
NarrowedRegionTests         InferredRegionTests
NarrowingOracleTests        RegionInferenceOracleTests
RegionFloorTests            RegionCompletenessTests

# --- Live queries
StateNews                   SnapshotChanges
code: areAll isComplete @ TE/*
allRowsAreNoted             markChangesComplete
code: news snapshotChanges @ TE/Observation/*, TE/IncrementalResults/*
code: news changes @ AsyncKeyedDifferences
NewsReducer                 ChangeSignalReducer
LiveRound                   FetchBatch
SharedRoundTests            FetchBatchTests
code: round batch @ TE/Observation/*
readRounds                  fetchReadBatches
writeRounds                 fetchWriteBatches
nextRound                   nextBatch
beginRound                  beginBatch
joinRound                   joinBatch
watchRound                  scheduleBatchCheck
sharedRounds                sharedBatches
roundNumber                 batchNumber
lookAfterRounds             checkBatches
code: Wish FetchReasons @ TE/Observation/*, TT/Observation/*
code: wish reasons @ TE/Observation/*, LiveQueryMachineTests
code: wishes pendingReasons @ TE/Observation/*
code: ask requestFetch @ TE/Observation/*, LiveQueryMachineTests
code: newcomer newObserver @ TE/Observation/*, LiveQueryMachineTests
code: others externalCommit @ LiveQueryMachine, LiveEngine+Commits, LiveState, LiveState+Results, LiveState+FetchBatches, LiveQueryMachineTests
code: resting idle @ LiveObserver, LiveQueryMachine, MailboxMachine, SharedValueObservation
code: Lines FetchQueues @ TE/Observation/*
code: lines fetchQueues @ LiveState*, LiveEngine*
code: Line FetchQueue @ TE/Observation/LiveState*, LiveEngine*
code: line queue @ TE/Observation/LiveState*
code: watch watchdog @ TE/Observation/Live*
beginWatch                  beginWatchdog
keepWatch                   keepWatchdog
takeWatch                   takeWatchdog
endWatch                    endWatchdog
code: watchCount watchdogCount @ TE/Observation/*
watchEnd                    watchdogCancellation
watchLine                   startWatchdog
code: watching externalCommits @ TE/Observation/*
code: notes ownCommitTracking @ TE/Observation/*
followsRows                 isIncremental
tellsCommits                needsDatabaseVersion
code: followerCount incrementalQueryCount @ TE/Observation/*
asksForState                needsSnapshotState
lastNoted                   lastNotedCommit
askedAt                     helpRequestedAt
askForHelp                  requestHelp
longPatience                singleProcessorHelpDelay
code: endurance maximumWait @ TE/Observation/*
code: patience helpDelay @ FetchBatch
code: patience responseTimeout @ LiveState+FetchBatches, LiveState
code: patience timeout @ LiveEngine+SnapshotState
code: patience spinDuration @ LivePolling, LivePollingTests
lastSign                    lastActivity
takeRest                    takeRemaining
code: rest remaining @ LiveEngine+FetchBatches
code: rest finish @ LiveEngine+Results, LiveState+Results
code: settle recordResult @ LiveEngine+Results, LiveState+Results
StateSearch                 SnapshotSearch
StateQuestions              SnapshotRequirements
code: questions unmetRequirements @ TE/Observation/*
code: goesOn shouldContinue @ TE/Observation/*
code: numbered versioned @ TE/Observation/*, Benchmarks/*
code: Beginning FetchStart @ TE/Observation/*
code: beginning fetchStart @ TE/Observation/*
code: begun fetchStart @ TE/Observation/*
code: Leftovers ReleasedObjects @ TE/Observation/*
tellNeeds                   publishNeeds
toldVersion                 publishedNeedsVersion
whatIsRead                  readRegion
whatIsReadFirst             initialReadRegion
code: over ended @ LiveObserver
code: isOver isEnded @ LiveObserver, LiveEngine
SchemaLook                  SchemaVersionCheck
code: look schemaCheck @ LiveFetch, LiveEngine+FetchBatches
runWithSchemaOfBefore       runWithPreviousSchema
code: Rest Overflow @ MailboxMachine
code: rest overflow @ MailboxMachine
withRest                    withOverflow
code: isAsked hasRunningFetches @ CommitLog, LiveEngine+Commits, CommitLogTests, LiveQueryMachineTests
code: hasOthers hasExternalCommits @ CommitLog, LiveEngine*, LiveState*, LiveQueryMachineTests
isOfOthers                  isExternal
othersDidCommit             externalCommitDetected
priceOfVanity               wastedPollPenalty
code: News WorkFlag @ LivePolling, LiveState+FetchBatches
code: tell notify @ LivePolling, LiveState, LivePollingTests
code: news workFlag @ LivePollingTests
restIsOver                  idleEnded
restBegan                   idleStart
code: isTold isNotified @ LivePollingTests
code: place index @ LiveObserver, LiveQuery
storedPlace                 storedIndex
code: Place PartLocation @ RegionIndex
code: Place ValueLocation @ TableCommit, ColumnIndex
code: place location @ RegionIndex, RegionTableIndex, TableCommit, ColumnIndex, RegionIndexTests
code: places locations @ RegionIndex, RegionTableIndex
code: lastPlace lastLocation @ ColumnIndex
code: asked unindexed @ RegionTableIndex
askedMax                    checkCountMax
matchAsked                  matchUnindexed
code: Row ChangedRow @ TableCommit
UntoldCommitTests           UnreportedCommitTests
updateInPlace               updateKeepingRowID

# --- Incremental results
FollowedResult              IncrementalResult
FollowedResultTests         IncrementalResultTests
FollowedRows                IncrementalFetcher
RowwiseQuery                IncrementalQuery
RowwiseQueryTests           IncrementalQueryTests
isRowwise                   showsEachSourceRow
code: RowPlan RowFetchPlan
code: RowReading OrderedRowReader
TextReading                 TextAnalysis
textReading                 textAnalysis
code: reading analysis @ IncrementalFetcher
noReading                   noAnalysis
code: Outdated StaleColumns @ TE/IncrementalResults/*
fetchInItsOrder             fetchInStatementOrder
fetchInOrder                fetchInKnownOrder
code: hasNews hasChanges
takeNews                    takeChanges
code: News Changes @ IncrementalResult
code: Unseen PendingChanges @ IncrementalResult
code: unseen pendingChanges @ IncrementalResult
code: Row OrderedRow @ IncrementalResult
mayAskOthers                mayDependOnMoreThanRows
code: halved partitionPoint
code: place position @ OrderedKeys, RowOrderTests
code: place columnIndex @ IncrementalQuery
code: Place ComparedRow @ RowComparison
code: places comparedRows @ RowComparison
code: Table SourceTable @ IncrementalQuery
code: Collation TextCollation @ RowOrder, IncrementalQuery
code: QueryClauses PlainQueryClauses @ TE/*
RequestHome                 RequestDatabase
OddRequestTests             UnusualRequestTests
OddWriteTests               UnusualWriteTests
RequestStormTests           ConcurrentRequestTests

# --- Fetching, rows, records
KeptAdapter                 AdapterBox
keptAdapter                 adapterBox
code: kept boxed @ PreparedRequest, StatementRun
code: keeping boxing @ PreparedRequest, StatementRun
code: kept checkedCopy @ TE/Rows/Row, RowDecoding, TE/Records/Record
KeptDecoder                 ReusableDecoder
keptDecoder                 reusableDecoder
keepsDecoder                reusesDecoder
KeptContainer               ContainerBox
keptContainer               reusableContainer
keepsContainer              reusesContainer
KeptDecoderTests            ReusableDecoderTests
nextKept                    nextCopy
code: kept reusable @ RecordDecoder
code: letGo releaseReferences @ TE/*
code: idle availableStatement @ TE/Fetching/*, TE/PackageInterface, TE/Records/*, TE/Statements/*, TE/Transactions/*
code: place location @ ForeignKeyViolation
code: places slots @ InferredTableNames
code: place slot @ InferredTableNames
code: place address @ TE/Engine/ArgumentBytes
code: places positions @ ListComparison
code: place position @ ListComparison
firstPlaces                 firstPositions
nextPlaces                  nextPositions
code: place destination @ FoundationServices
code: NothingReturned NoRowReturned
code: RefusableValue ReportsUnreadableValue
code: IndexDefinition TableIndexDefinition @ TE/*
code: PrimaryKey PrimaryKeyDefinition @ TableDefinition

# --- SQLiteDB
code: RowLayout ResultRowLayout @ DB/*
code: Place ColumnMatch @ ResultRowLayout
code: places columnsByKey @ ResultRowLayout
namePlaces                  columnsByName
code: RowContainer RowDecodingContainer @ DB/*
code: Token SQLToken @ DB/*
code: kept prepared @ DB/Connections/NoSuchFile
code: letGo releaseStatement @ DB/*
code: place index @ QueryType+Changes, TableText
code: places indexes @ QueryType+Changes, TableText
code: Shown FormatterBox @ DB/Values/Date
code: Held WeakStatement @ HeldStatements

# --- Others
SQLLateExpression           SQLDeferredExpression
SQLLateSelection            SQLDeferredSelection
code: Late Deferred @ TE/*
code: late deferred @ TE/*
isExpelled                  isRejected
code: expel rejectWaiters @ TE/Connections/*
expulsions                  rejections
writerGoesOn                writerResumes
code: goesOn shouldContinue @ BarrierAdmission
code: elsewhere runOnConnectionThread @ ReaderPool+Accesses
indexElsewhere              searchIndex
isThereAgain                isUnchangedAgain
code: insertAgain retain @ RegionTableIndex
forgetObserversThatAreGone  removeReleasedObservers
wakeForTheEnd               wakeForShutdown
snapshotIsLost              snapshotLostError
lateTables                  unplannedTables
lateTable                   unplannedTable
lateEffectCount             unplannedTablesEffectCount
lateWriteCount              recompiledWriteCount
willWriteLate               willRecompileWrite
pauseLeft                   remainingPause
code: countLeft remainingCount @ TE/*
keptStatement               sharedStatement
ownStatement                exclusiveStatement
mayComeFromInterruption     mayBeCausedByInterruption
loseHook                    hookWasLost
askAboutDeletes             notifyDeleteObservers
hasAskedAboutDeletes        hasAskedDeleteObservers
sleepExactly                enablePreciseSleep
code: place index @ ReaderPoolMachine
code: nowhere unavailable @ TE/*

# --- Architecture tests
HouseTests                  ArchitectureTests
RoomOrderTests              ModuleOrderTests
RoomOrder                   ModuleOrder
roomsThatPrint              modulesThatPrint
laterRoom                   laterModule
isInRooms                   isInModules
DoorTests                   CCallTests
doorFiles                   interfaceFiles
code: Rooms Modules @ Tests/ArchitectureTests/*
code: room module @ Tests/ArchitectureTests/*
code: rooms modules @ Tests/ArchitectureTests/*
code: Doors CCalls @ Tests/ArchitectureTests/*
code: place modulePosition @ ModuleOrder
code: place location @ Tests/ArchitectureTests/Finding
rudeness                    forbiddenCalls
workplaces                  machinePaths

# --- Tests, demo, benchmarks
code: chance generator @ Tests/*
isToBeTold                  reportsRegion
toWhoAskedWith              forSubscription
followingRowsOf             incrementallyTracking
code: isNews isReported @ ChangeCapture+Publishing
mayTell                     canLeadTo
committingRest              committingRemainder
mostTellingColumn           mostSelectiveColumn
conditionsTellRows          conditionsSelectRows
wasMuted                    wasSuspended
isToldAtFirst               isNotifiedAtFirst
isToldAfterwards            isNotifiedAfterwards
code: whenTold whenNotifiedOf @ ForkTests
code: isTold isNotified @ ForkTests
code: isTold isReported @ CaptureOracle, UndoneChangeTests
checkIsTold                 checkIsReported
code: wish requested @ CaptureOracle
code: wishes requestedNeeds @ CaptureOracleTests
toldCount                   waiterCount
code: tell waiters @ LiveQueryMachineTests
code: tell printReport @ CancellationStormTests
code: tell report @ LeakTests, LeakCount, CaptureOracleTests, Tests/StressSupport/Run, Tests/StressLive/main, MemoryFaultTests, Benchmarks/OtherProcesses
code: told summary @ Tests/StressSupport/Run
code: tell insertEvent @ Demo/World/Market
code: tell notify @ Demo/World/World, Demo/Model/Follower
toldBy                      printedBy
untoldWrite                 unrecordedWrite
code: judge checkError @ CombinedFaultTests, PoolScenario
code: narrowing transforming @ RegionInferenceOracleTests
code: who actor @ Tests/StressTests/BankTests
code: who callers @ Benchmarks/ConcurrentReads
code: numbering versioning @ LiveSource, Versioned
ToldKey                     UserInfoReadingKey
code: isInPlace isInline @ InlineAccessTests
code: deed operation @ OwnCommitTrackerTests, Tests/StressChild/main
code: isOthers isExternal @ OwnCommitTrackerTests
code: AtOnce ImmediateScheduler @ Tests/*
AtOnceScheduler             ImmediateScheduler
code: Twin ChainedRecord @ CallbackTests
clearRest                   clearRemainder
isRestUncertain             isRemainderUncertain
stopFollowing               stopFollower
removeAbandoned             removeStaleFolders
code: following basedOn @ PersistenceContainer, RecordWriter, PersistenceContainerTests
code: followed based @ TE/Records/PersistenceContainer
code: followed base @ PersistenceContainerTests
PoolLifeTests               PoolLifecycleTests
PoolOthersTests             SeveralPoolTests
OtherFilesTests             AttachedFileTests
EnemyRecordTests            UnusualRecordTests
KindsOfKeysTests            PrimaryKeyKindTests
KeptChangesTests            RetainedChangesTests
ObserverOfCommitsTests      CommitObserverTests
ObserverOfUndoneChangesTests RollbackObserverTests
OtherChangeTests            SchemaAndForeignChangeTests
KilledDeedTests             KilledOperationTests
checkThatCommitsOfOthersAreNoticed checkExternalCommitDetection
waitUntilOthersSleep        waitUntilOtherThreadsSleep
areOthers                   areOtherRows
checkAtQuiet                checkWhenIdle
code: Chance SeededRandom @ Tests/*
code: Home DatabaseKind @ Tests/*
code: Patience WaitLimit @ Tests/*
code: Told Reports @ Tests/DemoTests/*
code: Told UserInfoReader @ RecordUserInfoTests
code: told reports @ Tests/DemoTests/*, CaptureNeedsTests, FallbackCaptureTests, RetainedChangesTests, CaptureBypassTests, UndoneChangeTests, CaptureOracle, CaptureOracleTests
code: Refused PlannedFailure @ Tests/StressSupport/*, Tests/StressTests/*, FetchCursorTests
code: deeds operations @ Tests/*
code: Deeds Operations @ Tests/*
code: deed operation @ Tests/FaultTests/*, Tests/StressSupport/Child
code: Deed TraderOperation @ Demo/*, Tests/DemoTests/*
code: boast acknowledgeTooEarly @ Tests/*
code: carelessWrite uncheckedWrite @ Tests/*
code: rage runStorm @ Tests/FaultTests/Faults/CombinedFaultTests
code: Guarded Locked @ Demo/*, Tests/DemoTests/*
code: Letters Messages @ Demo/*, Tests/DemoTests/*
code: letters messages @ Demo/*, Tests/DemoTests/*
code: News Message @ Demo/*, Tests/DemoTests/*
code: news message @ Demo/*, Tests/DemoTests/*
code: look checkFile @ Demo/Watch/*, Demo/Commands/Session, Tests/DemoTests/Watch/*
lookAtFile                  checkFile
keepingRowsInSight          keepingRowsVisible
code: yardstick baseline @ Tests/TypeChecking/*
"""

# Contextual rules: (regular expression, replacement, scope). They are applied to whole files, before the names.
CONTEXT = [
    # Cases of `ExternalCommitDetection`, by what they are assigned to or compared with.
    (r"(?<=noticesCommitsByOthers = )\.never\b", ".disabled", "*"),
    (r"(?<=externalCommitDetection = )\.never\b", ".disabled", "*"),
    (r"(?<=noticesCommitsByOthers = )\.every\(", ".polling(every: ", "*"),
    (r"(?<=externalCommitDetection = )\.every\(", ".polling(every: ", "*"),
    (r"(?<=noticesCommitsByOthers == )\.every\(", ".polling(every: ", "*"),
    (r"(?<=noticesCommitsByOthers [=!]= )\.atOnce\b", ".immediate", "*"),
    (r"(?<=noticesCommitsByOthers = )\.atOnce\b", ".immediate", "*"),
    (r"\bCommitsByOthers\.atOnce\b", "ExternalCommitDetection.immediate", "*"),
    (r"\bCommitsByOthers\.never\b", "ExternalCommitDetection.disabled", "*"),
    (r"\bCommitsByOthers\.every\(([^()]*(?:\([^()]*\))?)\), \.atOnce\b",
     r"ExternalCommitDetection.polling(every: \1), .immediate", "*"),
    (r"\bCommitsByOthers\.every\(", "ExternalCommitDetection.polling(every: ", "*"),
    (r"\bcase never\b", "case disabled", "ExternalCommitDetection"),
    (r"\bcase atOnce\b", "case immediate", "ExternalCommitDetection"),
    (r"\bcase every\(Duration\)", "case polling(every: Duration)", "ExternalCommitDetection"),
    (r"\bcase \.never: return nil", "case .disabled: return nil", "DatabaseCore"),
    (r"\bcase \.atOnce:", "case .immediate:", "DatabaseCore"),
    (r"\bcase \.every\(", "case .polling(", "DatabaseCore"),
    (r"`\.never`", "`.disabled`", "*.md"),
    (r"`\.atOnce`", "`.immediate`", "*.md"),
    # Labels of connections carry our own name.
    (r'"GRDB\.Database(Queue|Pool|Snapshot|SnapshotPool)\b', r'"Tidemark.Database\1', "*.swift"),
    (r'hasPrefix\("GRDB\.DatabaseP"\)', 'hasPrefix("Tidemark.Datab")', "*.swift"),
    (r'"Tidemark\.others"', '"Tidemark.poller"', "*.swift"),
    # A line that becomes too long, in the guide, its test and the documentation.
    (r"^([ /]*)(for try await ranking in observation\.with\w+\(\)\.values\(in: dbPool\)) (where ranking\.\w+ >= own \{)$",
     r"\1\2\n\1\3", "*"),
    (r"\btell(?=\(\.)", "notify", "*.md"),
    (r"(?<=`ChangeCapture\.swift`: )`settle`", "`transactionMayHaveEnded`", "*.md"),
    (r"(?<=/ChangeCapture\.swift`: )`settle`", "`transactionMayHaveEnded`", "*.md"),
    (r"\bSQLRelation\.Late\b", "SQLRelation.Deferred", "*"),
    (r"`RowLayout`", "`ResultRowLayout`", "ConnectionsWrapQueuesOrPools.md"),
    # Members whose names are words.
    (r"\bpart\((?=\w+\.self\)|\))", "moduleState(", "TE/*"),
    (r"\bTableCommit\.Row\b", "TableCommit.ChangedRow", "TE/*, TT/*"),
    (r"\bStatementWrites\.Table\b", "StatementWrites.WrittenTable", "TE/*"),
    (r"\bStatementReads\.Table\b", "StatementReads.NamedTable", "TE/*"),
    (r"\bCommitWatch\.News\b", "ExternalCommitMonitor.Event", "TE/*"),
    (r"\bDatabase\.isShared\b", "Database.isHandleExposed", "TE/*"),
    (r"\bplaces\.giveBack\(", "inlinePolicy.cancel(", "TE/Connections/*"),
    (r"\b(records|values|logTables|logLayouts)\.empty\(\)", r"\1.removeAllKeepingCapacity()", "TE/Transactions/*"),
    (r"\brest\(\)", "releaseResources()",
     "ExternalCommitMonitor, ExternalCommitDetection, PoolCommitDetector, QueueCommitDetector"),
    (r"\bcounts\.others\b", "counts.external", "OwnCommitTracker"),
    (r"\bvar others: UInt64\b", "var external: UInt64", "OwnCommitTracker"),
    (r"(?<![.\w])unclear\b(?= \?\?| =|\.map| \{|:)", "inconclusiveSince", "ExternalCommitSchedule"),
    (r"\bvar unclear: Duration\?", "var inconclusiveSince: Duration?", "ExternalCommitSchedule"),
    (r"\bif let unclear \{", "if let inconclusiveSince {", "ExternalCommitSchedule"),
    (r"\(now - unclear\)", "(now - inconclusiveSince)", "ExternalCommitSchedule"),
    (r"\bLiveRound\.patience\b", "FetchBatch.helpDelay", "TE/Observation/*"),
    (r"\bLivePolling\.patience\b", "LivePolling.spinDuration", "*.swift"),
    (r"\bQuietSteps\.Mark\b", "CaptureBypass.Eligibility", "TE/*"),
    (r"\bfunc telling\(", "func withNotification(", "ChangeCapture+Observers"),
    (r"^(\s*)telling \{", r"\1withNotification {", "ChangeCapture+Observers"),
    (r"\blet told = observations\b", "let observed = observations", "ChangeCapture+Observers"),
    (r"\bin told \{", "in observed {", "ChangeCapture+Observers"),
    (r"\btold\.count\b", "observed.count", "ChangeCapture+Observers"),
    # Texts of the architecture tests and of the files that name folders.
    (r"\bRooms\.order\b", "Modules.order", "*"),
    (r"\bnearer room\b", "nearer module", "*"),
    (r"\blet module = order == dialectOrder\b", "let target = order == dialectOrder", "ModuleOrder"),
    (r"\btypeNames\(in: line, of: module\)", "typeNames(in: line, of: target)", "ModuleOrder"),
    (r"\bof module: String\b", "of target: String", "ModuleOrder"),
    (r"\bnames\.last != module\b", "names.last != target", "ModuleOrder"),
    (r"- parameter module:", "- parameter target:", "ModuleOrder"),
    (r'"Following"', '"IncrementalResults"', "Tests/ArchitectureTests/*"),
    (r"\bFollowing/(?=\w+\.swift)", "IncrementalResults/", "*"),
    (r"`Following`", "`IncrementalResults`", "*.md"),
    (r"\bNarrowing/", "RegionInference/", "*"),
    (r"`Narrowing`", "`RegionInference`", "*"),
    (r"\bThere is no room (?=\\\()", "There is no module ", "Tests/ArchitectureTests/*"),
    (r"\bstands in no room\b", "is in no module", "Tests/ArchitectureTests/*"),
    # Prose: rooms are modules, laws are invariants, the house is the architecture.
    (r"\bThe room of transactions is\b", "The transactions module is", "*.swift"),
    (r"\bthe room of connections\b", "the connections module", "*.swift"),
    (r"\bthe room of values\b", "the values module", "*.swift"),
    (r"\bthis room\b", "this module", "*"),
    (r"\b(a|A|an? later|each|every|no|the|The|later|that|one|its) room\b(?! (for|left|in which to))",
     r"\1 module", "Sources/*, Tests/ArchitectureTests/*, ARCHITECTURE.md, CONTRIBUTING.md"),
    (r"\b(the|The|later|leaf|of|has|its|brings the|are the|the other) rooms\b", r"\1 modules",
     "Sources/*, Tests/ArchitectureTests/*, ARCHITECTURE.md, CONTRIBUTING.md"),
    (r"\b(other) rooms\b", r"\1 modules", "Tests/ArchitectureTests/*, ARCHITECTURE.md"),
    (r"\bRooms to come\b", "Modules to come", "*.md"),
    (r"^## Rooms$", "## Modules", "*.md"),
    (r"\|(\s*)Room\b", r"|\1Module", "*.md"),
    (r"\bfolder per room\b", "folder per module", "*.md"),
    (r"\broom's\b", "module's", "*.md"),
    (r"\b([Aa]) law\b", lambda m: ("An" if m.group(1) == "A" else "an") + " invariant", "*"),
    (r"\blaws\b", "invariants", "*"),
    (r"\bLaws\b", "Invariants", "*"),
    (r"\blaw\b", "invariant", "*"),
    (r"\bLaw\b", "Invariant", "*"),
    (r"^# The house$", "# Architecture", "*.md"),
    (r"\bhow the house is built\b", "how Tidemark is built", "*.md"),
    (r"\bthe house tests\b", "the architecture tests", "*"),
    (r"\bThe commands of the house\b", "The commands of the repository", "Makefile"),
]

TEXT_SUFFIXES = (".swift", ".md", ".sh", ".py", ".c", ".h", ".modulemap", ".yml", ".yaml", ".json", ".svg")
TEXT_NAMES = ("Makefile", "Package.swift", ".swift-format", ".spi.yml")
SKIPPED = ("Benchmarks/results/",)


# --------------------------------------------------------------------------------------------------------------------
# Scopes

def expand(path):
    for short, long in (
        ("TE/", "Sources/TidemarkEssentials/"), ("DB/", "Sources/SQLiteDB/"), ("TT/", "Tests/TidemarkTests/")
    ):
        if path.startswith(short):
            return long + path[len(short):]
    return path


class Scope:
    """Path patterns. `*` is everything; one without `/` is the name of a file."""

    def __init__(self, text):
        self.patterns = [expand(p.strip()) for p in text.split(",") if p.strip()]

    def __contains__(self, path):
        name = os.path.basename(path)
        stem = name[:-6] if name.endswith(".swift") else name
        for pattern in self.patterns:
            if "/" in pattern:
                if fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, pattern + ".swift"):
                    return True
            elif fnmatch.fnmatchcase(stem, pattern) or fnmatch.fnmatchcase(name, pattern):
                return True
        return False


def parse_names():
    everywhere, code = {}, []
    for line in NAMES.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("code:"):
            words, _, scope = line[5:].partition("@")
            old, new = words.split()
            code.append((old, new, Scope(scope or "*")))
        else:
            old, new = line.split()
            if old != new:
                everywhere[old] = new
    return everywhere, code


def parse_tests():
    """File-independent table of test functions: old → new; and names of one file: (stem, old) → new."""
    tests, local = {}, {}
    path = os.path.join(HERE, "rename-tests.tsv")
    if not os.path.exists(path):
        return tests, local
    for line in open(path):
        fields = line.split("#")[0].split()
        if len(fields) == 2:
            tests[fields[0]] = fields[1]
        elif len(fields) == 3:
            local[(fields[0], fields[1])] = fields[2]
    return tests, local


# --------------------------------------------------------------------------------------------------------------------
# Swift source: code, comments, strings. Interpolations are code.

def segments(s):
    out = []
    n = len(s)

    def code(i, in_interpolation):
        start, depth = i, 0
        while i < n:
            c = s[i]
            if c == "/" and i + 1 < n and s[i + 1] in "/*":
                if i > start:
                    out.append(("code", start, i))
                if s[i + 1] == "/":
                    j = s.find("\n", i)
                    j = n if j < 0 else j
                else:
                    d, j = 1, i + 2
                    while j < n and d:
                        if s.startswith("/*", j):
                            d, j = d + 1, j + 2
                        elif s.startswith("*/", j):
                            d, j = d - 1, j + 2
                        else:
                            j += 1
                out.append(("comment", i, j))
                i = start = j
                continue
            if c in "#\"":
                h, j = 0, i
                while j < n and s[j] == "#":
                    h, j = h + 1, j + 1
                if j < n and s[j] == '"':
                    if i > start:
                        out.append(("code", start, i))
                    i = start = string(i, h)
                    continue
                if h and j < n and s[j] == "/":
                    k = s.find("/" + "#" * h, j + 1)
                    if k > 0 and "\n" not in s[j:k]:
                        if i > start:
                            out.append(("code", start, i))
                        out.append(("string", i, k + 1 + h))
                        i = start = k + 1 + h
                        continue
                if h:
                    i = j
                    continue
            if in_interpolation:
                if c == "(":
                    depth += 1
                elif c == ")":
                    if depth == 0:
                        if i > start:
                            out.append(("code", start, i))
                        return i
                    depth -= 1
            i += 1
        if i > start:
            out.append(("code", start, i))
        return i

    def string(i, h):
        start, j = i, i + h
        # Raw texts such as `#""""#` begin with three quotes, too: those of several lines have a line end behind them.
        multiline = re.match(r'"""[ \t]*(?:\n|$)', s[j:j + 200]) is not None
        quote = '"""' if multiline else '"'
        j += len(quote)
        end, escape = quote + "#" * h, "\\" + "#" * h
        while j < n:
            if s.startswith(end, j):
                j += len(end)
                out.append(("string", start, j))
                return j
            if s.startswith(escape, j):
                k = j + len(escape)
                if k < n and s[k] == "(":
                    out.append(("string", start, k + 1))
                    e = code(k + 1, True)
                    start, j = e, e + 1
                    continue
                j = k + 1
                continue
            if not multiline and s[j] == "\n":
                out.append(("string", start, j))
                return j
            j += 1
        out.append(("string", start, j))
        return j

    code(0, False)
    return out


WORD = re.compile(r"[A-Za-z_]\w*")


def substitute(text, table):
    return WORD.sub(lambda m: table.get(m.group(0), m.group(0)), text) if table else text


BACKTICKS = re.compile(r"`+[^`\n]+`+")
PARAMETER = re.compile(r"(- [Pp]arameter )(\w+)(?=:)")


def rename_comment(text, everywhere, code):
    text = substitute(text, everywhere)
    text = BACKTICKS.sub(lambda m: substitute(m.group(0), code), text)
    return PARAMETER.sub(lambda m: m.group(1) + code.get(m.group(2), m.group(2)), text)


def rename_swift(text, everywhere, code):
    both = dict(everywhere)
    both.update(code)
    parts = []
    last = 0
    for kind, start, end in segments(text):
        parts.append(text[last:start])
        piece = text[start:end]
        if kind == "code":
            parts.append(substitute(piece, both))
        elif kind == "comment":
            parts.append(rename_comment(piece, everywhere, code))
        else:
            parts.append(substitute(piece, everywhere))
        last = end
    parts.append(text[last:])
    return "".join(parts)


FENCE = re.compile(r"^(\s*```)", re.M)


def rename_markdown(text, everywhere, code):
    lines, fenced = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        if fenced:
            both = dict(everywhere)
            both.update(code)
            lines.append(substitute(line, both))
        else:
            lines.append(rename_comment(line, everywhere, code))
    return "\n".join(lines)


# --------------------------------------------------------------------------------------------------------------------
# Comments that have become too long are wrapped again.

COMMENT_LINE = re.compile(r"^(\s*)(///?)( ?)(.*)$")
COLUMNS = 120


def wrap_comments(text, before):
    """Moves the words beyond the last column to the next line of the same paragraph, or to a new one."""
    long_before = {l for l in before.split("\n") if len(l) > COLUMNS}
    lines = text.split("\n")
    i = 0
    fenced = False
    while i < len(lines):
        line = lines[i]
        m = COMMENT_LINE.match(line)
        if not m:
            fenced = False
        elif m.group(4).lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            i += 1
            continue
        if len(line) <= COLUMNS or not m or line in long_before:
            i += 1
            continue
        indent, marks, space, body = m.groups()
        inner = re.match(r"\s*(?:(?:\d+\.|[-*]) )?", body).group(0)
        hanging = " " * len(inner)
        if body.startswith("    ") or "|" in body or "```" in body:
            i += 1
            continue
        prefix = indent + marks + space
        limit = COLUMNS - len(prefix)
        cut = body.rfind(" ", len(inner), limit + 1)
        if cut <= len(inner):
            i += 1
            continue
        head, tail = body[:cut].rstrip(), body[cut:].strip()
        lines[i] = prefix + head
        following = COMMENT_LINE.match(lines[i + 1]) if i + 1 < len(lines) else None
        joins = (
            following and following.group(1) == indent and following.group(2) == marks and following.group(4).strip()
            and not re.match(r"\s*(?:\d+\.|[-*]) |\s*```|\s*\||\s*swift-format", following.group(4))
            and re.match(r"\s*", following.group(4)).group(0) == hanging)
        if joins:
            lines[i + 1] = prefix + hanging + tail + " " + following.group(4).strip()
        else:
            lines.insert(i + 1, prefix + hanging + tail)
        i += 1
    return "\n".join(lines)


# --------------------------------------------------------------------------------------------------------------------

def git(root, *arguments):
    return subprocess.run(
        ["git", "-C", root, *arguments], check=True, capture_output=True, text=True).stdout


def tracked(root):
    names = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return sorted({n for n in names if n and os.path.isfile(os.path.join(root, n))})


def move(root, old, new):
    a, b = os.path.join(root, old), os.path.join(root, new)
    if old == new or not os.path.exists(a):
        return False
    if os.path.exists(b):
        print(f"CONFLICT: both {old} and {new} exist; nothing was moved")
        return False
    os.makedirs(os.path.dirname(b), exist_ok=True)
    if git(root, "ls-files", "--", old):
        git(root, "mv", old, new)
    else:
        os.rename(a, b)
    return True


def moves(root):
    """Old path → new path of each file, after folders were moved."""
    table = []
    for line in FILES.splitlines():
        if line.strip():
            old, name = line.split()
            old = expand(old)
            table.append((old, os.path.join(os.path.dirname(old), name)))
    return table


def is_text(path):
    if path.startswith(SKIPPED):
        return False
    return path.endswith(TEXT_SUFFIXES) or os.path.basename(path) in TEXT_NAMES


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 1:
        sys.exit(__doc__)
    root = os.path.abspath(arguments[0])
    everywhere, code = parse_names()
    tests, local_tests = parse_tests()

    # 1. Folders and files.
    count = 0
    for line in FOLDERS.splitlines():
        if not line.strip():
            continue
        old, new = line.split()
        for path in [p for p in tracked(root) if p.startswith(old + "/")]:
            count += move(root, path, new + path[len(old):])
        folder = os.path.join(root, old)
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)
    file_moves = moves(root)
    for old, new in file_moves:
        count += move(root, old, new)
    print(f"{count} files moved")

    # Names of files in text: `Observation/StateNews.swift`, and names with a `+`.
    file_names = {}
    for old, new in file_moves:
        if os.path.basename(old) != os.path.basename(new):
            file_names[os.path.basename(old)] = os.path.basename(new)
    file_pattern = re.compile(
        r"(?<![\w+])(" + "|".join(re.escape(n) for n in sorted(file_names, key=len, reverse=True)) + r")(?!\w)")
    # A few names are those of two files: they are told apart by the folder that stands before them.
    ambiguous = {"QueryClauses.swift": "IncrementalResults/", "RowLayout.swift": None, "Condition.swift": None}

    def rename_file(m):
        name = m.group(1)
        if name in ambiguous:
            needed = ambiguous[name]
            if not needed or not m.string[:m.start()].endswith(needed):
                return name
        return file_names[name]

    # 2. Contents.
    everywhere_all = dict(everywhere)
    everywhere_all.update(tests)
    contexts = [(re.compile(p, re.M), r, Scope(s)) for p, r, s in CONTEXT]
    global_code = {o: n for o, n, s in code if s.patterns == ["*"]}
    changed = 0
    for path in tracked(root):
        if not is_text(path):
            continue
        full = os.path.join(root, path)
        try:
            before = open(full, encoding="utf-8").read()
        except UnicodeDecodeError:
            continue
        text = before
        for pattern, replacement, scope in contexts:
            if path in scope:
                text = pattern.sub(replacement, text)
        text = file_pattern.sub(rename_file, text)
        stem = os.path.splitext(os.path.basename(path))[0]
        scoped = {o: n for o, n, s in code if path in s}
        for (file, old), new in local_tests.items():
            if file == stem:
                text = re.sub(r"(\bfunc )%s(?=\()" % re.escape(old), r"\g<1>" + new, text)
        if path.endswith(".swift"):
            text = rename_swift(text, everywhere_all, scoped)
            text = wrap_comments(text, before)
        elif path.endswith(".md"):
            text = rename_markdown(text, everywhere_all, global_code)
        else:
            text = substitute(text, everywhere_all)
        if text != before:
            changed += 1
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
    print(f"{changed} files changed")
    report(root, everywhere_all)


# Words of the private language that should be gone from code. What is left is printed.
LEFT = (
    "tenant standing gauge lookout quiet calm muted news wish wishes told tell telling untold "
    "narrowing following rowwise room rooms law laws house sight probe owed pay judge twin rest who whoever somebody"
).split()


def report(root, everywhere):
    import collections
    words = collections.Counter()
    where = collections.defaultdict(collections.Counter)
    patterns = set(LEFT)
    for path in tracked(root):
        if not path.endswith(".swift"):
            continue
        text = open(os.path.join(root, path), encoding="utf-8").read()
        for kind, start, end in segments(text):
            if kind != "code":
                continue
            for word in WORD.findall(text[start:end]):
                humps = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", word)
                if any(h.lower() in patterns for h in humps):
                    words[word] += 1
                    where[word][path] += 1
    print("Words of the old vocabulary that remain in code:")
    for word, number in sorted(words.items()):
        files = ", ".join(os.path.basename(p)[:-6] for p, _ in where[word].most_common(3))
        print(f"  {word} {number} ({files})")
    stale = collections.Counter()
    for path in tracked(root):
        if is_text(path):
            try:
                text = open(os.path.join(root, path), encoding="utf-8").read()
            except UnicodeDecodeError:
                continue
            for word in WORD.findall(text):
                if word in everywhere:
                    stale[word] += 1
    if stale:
        print("Old names that are also new names of something else, or were not replaced:", dict(stale))


main()
