// Added to the module whose sources `make mutants` has rewritten. Each mutation calls one of these functions with its
// number: the function does what the source does, unless TIDEMARK_MUTANT is that number.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private struct MutantSwitch: @unchecked Sendable {
  let active: Int

  /// A file with one byte for each mutant, which becomes 1 when the mutant is reached. It is shared with child
  /// processes, and complete even if the process traps.
  let reached: UnsafeMutablePointer<UInt8>?

  let count: Int

  init() {
    active = getenv("TIDEMARK_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
    guard let path = getenv("TIDEMARK_MUTANTS_REACHED") else {
      (reached, count) = (nil, 0)
      return
    }
    let file = open(path, O_RDWR)
    let size = Int(lseek(file, 0, SEEK_END))
    let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard file >= 0, let address, address != MAP_FAILED else { fatalError("could not map \(String(cString: path))") }
    close(file)
    (reached, count) = (address.bindMemory(to: UInt8.self, capacity: size), size)
  }
}

private let mutantSwitch = MutantSwitch()

func mutated(_ number: Int) -> Bool {
  if let reached = mutantSwitch.reached, number < mutantSwitch.count { reached[number] = 1 }
  return number == mutantSwitch.active
}

// MARK: - Values

func mutatedNot(_ number: Int, _ value: Bool) -> Bool { mutated(number) ? !value : value }

func mutatedLiteral<Value>(_ number: Int, _ value: Value, _ other: Value) -> Value { mutated(number) ? other : value }

func mutatedNil<Value>(_ number: Int, _ value: Value?) -> Value? { mutated(number) ? nil : value }

func mutatedNext<Value: FixedWidthInteger>(_ number: Int, _ value: Value) -> Value {
  mutated(number) ? value &+ 1 : value
}

func mutatedEmpty<Value: RangeReplaceableCollection>(_ number: Int, _ value: Value) -> Value {
  mutated(number) ? Value() : value
}

// MARK: - Logic

func mutatedAnd(_ number: Int, _ lhs: Bool, _ rhs: @autoclosure () -> Bool) -> Bool {
  mutated(number) ? lhs || rhs() : lhs && rhs()
}

func mutatedOr(_ number: Int, _ lhs: Bool, _ rhs: @autoclosure () -> Bool) -> Bool {
  mutated(number) ? lhs && rhs() : lhs || rhs()
}

func mutatedAnd<E: Error>(_ number: Int, _ lhs: Bool, _ rhs: @autoclosure () throws(E) -> Bool) throws(E) -> Bool {
  if mutated(number) {
    if lhs { return true }
    return try rhs()
  }
  if !lhs { return false }
  return try rhs()
}

func mutatedOr<E: Error>(_ number: Int, _ lhs: Bool, _ rhs: @autoclosure () throws(E) -> Bool) throws(E) -> Bool {
  if mutated(number) {
    if !lhs { return false }
    return try rhs()
  }
  if lhs { return true }
  return try rhs()
}

// MARK: - Comparisons

func mutatedLess<T: Comparable>(_ number: Int, _ lhs: T, _ rhs: T) -> Bool {
  mutated(number) ? lhs <= rhs : lhs < rhs
}

func mutatedLessOrEqual<T: Comparable>(_ number: Int, _ lhs: T, _ rhs: T) -> Bool {
  mutated(number) ? lhs < rhs : lhs <= rhs
}

func mutatedGreater<T: Comparable>(_ number: Int, _ lhs: T, _ rhs: T) -> Bool {
  mutated(number) ? lhs >= rhs : lhs > rhs
}

func mutatedGreaterOrEqual<T: Comparable>(_ number: Int, _ lhs: T, _ rhs: T) -> Bool {
  mutated(number) ? lhs > rhs : lhs >= rhs
}

func mutatedMin<T: Comparable>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? max(lhs, rhs) : min(lhs, rhs)
}

func mutatedMax<T: Comparable>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? min(lhs, rhs) : max(lhs, rhs)
}

// MARK: - Arithmetic

func mutatedPlus<T: AdditiveArithmetic>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? lhs - rhs : lhs + rhs
}

func mutatedMinus<T: AdditiveArithmetic>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? lhs + rhs : lhs - rhs
}

func mutatedWrappingPlus<T: FixedWidthInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? lhs &- rhs : lhs &+ rhs
}

func mutatedWrappingMinus<T: FixedWidthInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? lhs &+ rhs : lhs &- rhs
}

func mutatedTimes<T: Numeric>(_ number: Int, _ lhs: T, _ rhs: T) -> T { mutated(number) ? lhs + rhs : lhs * rhs }

func mutatedDivide<T: BinaryInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? lhs * rhs : lhs / rhs
}

func mutatedRemainder<T: BinaryInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> T {
  mutated(number) ? lhs * rhs : lhs % rhs
}

func mutatedBitAnd<T: BinaryInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> T { mutated(number) ? lhs | rhs : lhs & rhs }

func mutatedBitOr<T: BinaryInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> T { mutated(number) ? lhs & rhs : lhs | rhs }

func mutatedShiftLeft<T: BinaryInteger, U: BinaryInteger>(_ number: Int, _ lhs: T, _ rhs: U) -> T {
  mutated(number) ? lhs >> rhs : lhs << rhs
}

func mutatedShiftRight<T: BinaryInteger, U: BinaryInteger>(_ number: Int, _ lhs: T, _ rhs: U) -> T {
  mutated(number) ? lhs << rhs : lhs >> rhs
}

func mutatedAdd<T: AdditiveArithmetic>(_ number: Int, _ lhs: inout T, _ rhs: T) {
  if mutated(number) { lhs -= rhs } else { lhs += rhs }
}

func mutatedSubtract<T: AdditiveArithmetic>(_ number: Int, _ lhs: inout T, _ rhs: T) {
  if mutated(number) { lhs += rhs } else { lhs -= rhs }
}

// MARK: - Ranges

func mutatedRange<T: FixedWidthInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> Range<T> {
  mutated(number) ? lhs..<(rhs + 1) : lhs..<rhs
}

/// A closed range cannot be empty: the mutant of a range with one element traps.
func mutatedClosedRange<T: FixedWidthInteger>(_ number: Int, _ lhs: T, _ rhs: T) -> ClosedRange<T> {
  mutated(number) ? lhs...(rhs - 1) : lhs...rhs
}
