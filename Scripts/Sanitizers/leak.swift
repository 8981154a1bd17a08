// Two objects hold each other: weakly on one side, or for ever when compiled with -D FAULTY.

final class Node {
  #if FAULTY
    var other: Node?
  #else
    weak var other: Node?
  #endif
  var next: Node?
}

@inline(never)
func makePair() {
  let first = Node()
  let second = Node()
  first.next = second
  second.other = first
}

for _ in 0..<10 { makePair() }
