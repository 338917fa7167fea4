/** What was found out about one thing, and what to do about it. */
export interface Finding {
  /** On this machine, or told by the server. */
  where: 'here' | 'server'
  name: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  fix: string | null
}

const make =
  (status: Finding['status']) =>
  (name: string, detail: string, fix: string | null = null): Finding => ({ where: 'here', name, status, detail, fix })

export const ok = (name: string, detail: string): Finding => make('ok')(name, detail)
export const warn = make('warn')
export const fail = make('fail')
