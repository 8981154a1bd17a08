import Foundation
import Tidemark

// Long expressions, as programs contain them. `run.sh` makes the compiler report those that take long.

struct Player: TableRecord, FetchableRecord {
  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let score = Column("score")
    static let bonus = Column("bonus")
    static let team = Column("team")
    static let date = Column("date")
  }
  init(row: Row) throws {}
}

let id = Column("id"), name = Column("name"), score = Column("score"), bonus = Column("bonus")
let team = Column("team"), date = Column("date")

func check(_ condition: some SQLSpecificExpressible) {}
func assign(_ assignment: ColumnAssignment) {}

func conditions(_ minimum: Int, _ text: String?, _ ratio: Double, _ start: Date, _ uuid: UUID) {
  check(score > 1 && bonus < 2 && id == 3 && name != 4 && team >= 5 && date <= 6)
  check(score > 1 && bonus < 2 && id == 3 && name != 4 && team >= 5 && date <= 6 && score < 7 && bonus > 8)
  check(name == "x" && team == "y" || name == "z" && date == nil || score != nil && team == "w")
  check(name == text && score > minimum && bonus < ratio)
  check(!(score == 1) && !(bonus == 2) || !(id > 3))
  check(score >= 1.5 && score <= 2.5 && bonus * 1.1 > id && team - 0.5 < date && name == true)
  check(date == start && date > start.addingTimeInterval(-3600 * 24) && id == uuid)
  check((score == 1 || bonus == 2) && (id == 3 || name == 4) && (team == 5 || date == 6))
  check(1 < score && 2 > bonus && "x" == name && 3 + team == 4)
  check(name == "a" || name == "b" || name == "c" || name == "d" || name == "e" || name == "f" || name == "g")
  check((score > 1) == true && (bonus < 2) == false && !(id == true))
  check(score === bonus && id !== name && team === 1)
  check([1, 2, 3].contains(id) && ["x"].contains(name) || [1.5].contains(score))
  check((1...3).contains(score) && (1..<3).contains(bonus) && (1...).contains(id))
  check(name.like("%a%") && name.collating(.nocase) == "b" || name.lowercased != "c")
  check(length(name) > 3 && max(score) < 10 && -bonus < -5)
  check(Player.select(id).contains(team) && !Player.filter(score > 1 && bonus < 2).exists())
}

func sums() {
  check(score * 2 + bonus * 3 - id / 4 + team * 5 > 10)
  check((score + bonus) * 2 > (id - team) / 3 && date + 1 < name - 1)
  check(1 + score * 2 + 3 * bonus + 4 > 5)
  check((score ?? 0) + (bonus ?? 0) + (id ?? 0) > 100)
  check(score & 1 == 1 && bonus | 2 == 3 && id << 1 > 4)
  check(score + bonus + id + name + team + date + score + bonus + id + name > 0)
  check(score + 1 + bonus + 2 + id + 3 + name + 4 + team + 5 + date + 6 > 0)
  check(score * (bonus + 1) * (id + 2) * (name + 3) - (team - 4) / (date - 5) == 0)
  check(2 * 3 * score + 60 * 60 * 24 * bonus > 1000)
  check(score > 60 * 60 * 24 * 7 && bonus < -1)
  check(score + 1 > bonus - 2 && id * 3 < name / 4 && team + 5 != date - 6)
  check(cast(score, as: .real) / 2 + abs(bonus) * 1.5 - average(id) >= 0.1)
  check(coalesce([score, bonus, 1]) + max(score, bonus, 3) * min(id, 4) > 5)
}

func requests(_ minimum: Int, _ text: String?) {
  _ = Player.filter { $0.score > 1 && $0.bonus < 2 && $0.name == "x" && $0.team != nil }
  _ = Player.filter { $0.score * 2 + $0.bonus * 3 - $0.id / 4 > 10 && $0.team == 3 }
  _ = Player.filter { ($0.score ?? 0) + ($0.bonus ?? 0) > 10 && length($0.name) > 3 && $0.score * 2 - 1 == 3 }
  _ = Player.filter { [1, 2].contains($0.id) || $0.score > minimum && !($0.name == text) }
  _ = Player.filter(score > 1).filter { $0.bonus > 2 }.order { [$0.score.desc, ($0.bonus + 1).asc] }.limit(10)
  _ = Player.select { [$0.id, ($0.score + $0.bonus * 2 - 1).forKey("total"), max($0.score, $0.bonus, 0)] }
  _ = Player.annotated(with: (score + bonus * 2 - 1).forKey("a"), (score > 1 && bonus < 2).forKey("b"))
  _ = Player.select(team, max(score + bonus * 2), count(id)).group(team).having(count(id) > 1 && max(score) < 10)
}

func assignments(_ minimum: Int) {
  assign(score += 1)
  assign(score += bonus * 2 + 1)
  assign(score.set(to: score * 2 + bonus - 1))
  assign(bonus -= (score ?? 0) + (id ?? 0))
  assign(name.set(to: nil))
  assign(id.set(to: minimum * 2 + 1))
}

// Expressions of Swift's own types use Swift's own operators.

func comparison() -> Bool {
  let x = 1, y = 2.5, z = "a"
  return x > 0 && y < 3 && z == "a" || x + 1 == 2 && y * 2 > 1
}

func sum() -> Int {
  let x = 1
  return x + 1 * 2 - 3 + x * 4 - (x + 5) / 6
}

// Long chains of associations.

struct Country: TableRecord, FetchableRecord {
  static let teams = hasMany(Team.self)
  static let players = hasMany(Squad.self, through: teams, using: Team.squads)
  init(row: Row) throws {}
}

struct Team: TableRecord, FetchableRecord {
  enum Columns {
    static let name = Column("name")
  }
  static let country = belongsTo(Country.self)
  static let squads = hasMany(Squad.self)
  static let captain = hasOne(Squad.self, key: "captain")
  init(row: Row) throws {}
}

struct Squad: TableRecord, FetchableRecord {
  enum Columns {
    static let rank = Column("rank")
  }
  static let team = belongsTo(Team.self)
  static let country = hasOne(Country.self, through: team, using: Team.country)
  init(row: Row) throws {}
}

func associations() {
  _ =
    Squad
    .including(
      required: Squad.team.filter { $0.name == "x" }.order { $0.name }.including(optional: Team.country)
        .including(all: Team.squads.filter { $0.rank > 1 }.order { $0.rank.desc }.including(required: Squad.country))
        .joining(optional: Team.captain.filter { $0.rank < 5 && $0.rank != 3 })
    )
    .annotated(withOptional: Squad.country.select(name.forKey("countryName")))
    .filter { $0.rank >= 1 && $0.rank <= 100 }
    .order(score.desc, name)
    .limit(10)
  _ = Team.annotated(with: Team.squads.count, Team.squads.max { $0.rank }, Team.squads.filter { $0.rank > 1 }.isEmpty)
    .having(Team.squads.count > 1 && Team.squads.max { $0.rank } < 5 || Team.squads.average(score) * 2 == 3.5)
  _ = Country.including(all: Country.teams.including(all: Team.squads.including(optional: Squad.team)))
    .having(Country.players.count + Country.teams.count > 10 && !Country.teams.isEmpty)
}
