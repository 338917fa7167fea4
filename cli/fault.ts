/** What the command itself does wrong. */
export class Fault extends Error {}

/** How people tell us of a fault in the command. */
export const faultOfCommand =
  'This is a fault of Muster. Report it with what you typed, its output with --verbose, and `muster doctor --json`'

/** How they tell us of one in the daemon. */
export const faultOfDaemon =
  'This is a fault of Muster. Report it with the request id, that part of the log, and `muster doctor --json`'
