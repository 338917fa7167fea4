import { spawnSync } from 'node:child_process'

const root = new URL('../..', import.meta.url).pathname
const nobody = '65534'
const switching = ['--reuid', nobody, '--regid', nobody, '--clear-groups', process.execPath]

/** Why nothing can be run as another user here, for `leaveOut` and `skipIf`. */
export const otherUserMissing: string | false =
  spawnSync('setpriv', [...switching, `${root}bin/musterd.js`, '--version']).status === 0
    ? false
    : 'nothing can be run as another user: that takes root, setpriv and a repository that all may read'

/** Runs a built program as the user with the id 65534, which owns nothing. */
export function asNobody(program: 'muster' | 'musterd', args: string[], env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync('setpriv', [...switching, `${root}bin/${program}.js`, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: status, stdout, stderr }
}
