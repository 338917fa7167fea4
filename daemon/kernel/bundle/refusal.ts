export type BundleFlaw =
  /** It is no bundle at all. */
  | 'bundle_foreign'
  /** A newer version made it. */
  | 'bundle_newer'
  | 'bundle_truncated'
  | 'bundle_altered'
  /** It holds what no backup writes: a path that leads elsewhere, a device, the same file twice. */
  | 'bundle_hostile'
  /** It is encrypted, and nothing was given to open it with. */
  | 'secret_needed'
  /** What was given does not open it. */
  | 'secret_wrong'

/** A bundle that cannot be used; the message says why, and nothing was changed. */
export class BundleRefused extends Error {
  readonly code: BundleFlaw
  constructor(code: BundleFlaw, message: string) {
    super(message)
    this.code = code
  }
}

export const truncated = (): BundleRefused => new BundleRefused('bundle_truncated', 'The bundle is cut off')

export const altered = (what: string): BundleRefused =>
  new BundleRefused('bundle_altered', `The bundle was altered or damaged: ${what}`)
