/** Why the daemon ends by itself. Service managers and `muster up` tell by them; docs/operating.md lists them. */
export const exitCodes = {
  /** A fault of ours, or a shutdown that did not finish in time. */
  failed: 1,
  /** A setting, a flag or a file that a setting names. */
  configuration: 2,
  /** Stored data that is gone, damaged or belongs elsewhere. */
  lostState: 3,
  /** Another daemon works on the data folder. */
  locked: 4,
  /** Files of another user, or rights that are missing. */
  access: 5,
  /** A disk that is full or takes no writes. */
  storage: 6,
  /** The address is taken, or is none of this machine. */
  address: 7,
  /** A database of another version. */
  version: 8,
} as const
