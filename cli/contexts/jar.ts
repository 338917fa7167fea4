export type Jar = ReturnType<typeof jar>

/** Keeps the cookies of one server for as long as the command runs; `options` are for calls of the client. */
export function jar() {
  const held = new Map<string, string>()
  const keep = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? []
      if (name && value !== undefined) held.set(name, value)
    }
  }
  return {
    options: () => ({
      headers: { cookie: [...held].map(([name, value]) => `${name}=${value}`).join('; ') },
      onHeaders: keep,
    }),
  }
}
