import Tidemark

enum Usage {
  static let text = """
    Live queries in a terminal.

    usage: Demo [--writers N] [--plain]
           Demo node NAME --folder FOLDER --etcd URL[,URL…] [--writers N] [--plain]
           Demo watch FILE "SELECT …" ["SELECT …" …] [options]
           Demo --help | --version

    Without a command, a market is opened: a temporary database, writers that are busy in it, and panes of live
    queries over it. Press ? for the keys.

      --writers N          how many writers there are at first (default 4)
      --plain              one screen as text, after a while, and then the end; so it is without a terminal

    node opens a market that several nodes share, each a process with a file in the folder; etcd servers store their
    log. See make cluster-demo.

    watch shows queries over the database of a file, which is opened read-only. They are refreshed when it changes.

      --interval SECONDS   the least time between two values of a query (default 0)
      --plain              lines instead of a screen; so it is when standard output is no terminal
      --format FORMAT      text (default): a line for each change
                           csv: a header, then a record for each row, with the number of its change
                           json: an object for each change, on a line of its own
      --count N            end after so many changes; the first result is one
      --rows N             how many rows of a result are written (default: 10 as text, 1000 otherwise)

    --format, --count and --rows imply --plain. What follows -- is no option.

    The result is 0, or 1 when something failed, 64 for a command line that makes no sense, 65 for SQL that is no query
    of this database, 66 for a file that cannot be opened. A signal (SIGINT, SIGTERM, SIGHUP, SIGPIPE) ends the program
    as it would any other, once the terminal is what it was.

    The environment: NO_COLOR, COLORTERM and TERM say which colours there are, and COLORFGBG on which background, where
    the terminal does not; with TERM=dumb, --plain is meant.
    """

  static var version: String {
    let number = Int(Database.sqliteLibVersionNumber)
    return "Demo of Tidemark (unreleased), SQLite \(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
  }
}
