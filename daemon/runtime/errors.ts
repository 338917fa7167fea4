/**
 * A runtime that cannot do what it was asked. `unreachable`: no engine answers. `not_running`: the crew's container is
 * not up.
 * `image`: the image is missing or unfit. `refused`: the engine, or the crew's own state, says no.
 */
export class RuntimeError extends Error {
  readonly kind: 'unreachable' | 'not_running' | 'image' | 'refused'

  constructor(kind: RuntimeError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
