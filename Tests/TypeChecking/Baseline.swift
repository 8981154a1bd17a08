// The time of an expression without the library measures the current speed of the compiler: see run.sh.

func baseline(_ a: Int, _ b: Double) -> Double {
  a.distance(to: 0) < 0
    ? 0
    : (Double(a) * 2 + 1) * (b - 3) / 4 + [b, 1, 2.5, 3].map { $0 * 2 + 1 - b }.reduce(0) { $0 + $1 * 2 - 1 } * 2
      - (b + 1) * (b - 2) / 3 + 4 * b
}
