import { type Code, problems } from '#contract/problems'

interface Details {
  detail?: string
  field?: string
  /** Response headers of the refusal (Retry-After, Allow). */
  headers?: Record<string, string>
  /** Further members of the body that the contract names for this refusal. */
  extra?: Record<string, unknown>
}

/** A refusal with a code of src/contract/problems.ts. Throwing it rolls the change back; returning it does not. */
export class Problem extends Error {
  readonly code: Code
  readonly status: number
  readonly field: string | undefined
  readonly headers: Record<string, string>
  readonly extra: Record<string, unknown>

  constructor(code: Code, details: Details = {}) {
    super(details.detail ?? problems[code][1])
    this.name = 'Problem'
    this.code = code
    this.status = problems[code][0]
    this.field = details.field
    this.headers = details.headers ?? {}
    this.extra = details.extra ?? {}
  }

  /**
   * RFC 9457 members, plus `error` for older clients: the same sentence as `detail`, or the reason why nobody is signed
   * in. Some clients read one of the two, some the other.
   */
  toBody(instance: string): Record<string, unknown> {
    const { code, status, field, message } = this
    const title = problems[code][1]
    return {
      ...this.extra,
      type: `/problems/${code}`,
      title,
      status,
      detail: message,
      instance,
      code,
      field,
      error: signedOut.has(code) ? code : message,
    }
  }
}

/** Codes that stand in `error`, on which browser clients branch. docs/rules/http.md, "Problems". */
const signedOut: ReadonlySet<Code> = new Set([
  'no_credentials',
  'session_expired',
  'session_revoked',
  'session_invalid',
])

export const problem = (code: Code, details?: Details): Problem => new Problem(code, details)
