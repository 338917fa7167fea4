import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Session } from './contexts/session.ts'
import { InputError } from './input.ts'
import { pagerOf } from './output/pager.ts'
import { cacheDir, configFile, daemonProgram, dataDir } from './paths.ts'
import type { Project } from './project.ts'
import { isStored, userFile } from './user-settings.ts'

export interface SettingRow {
  of: 'muster' | 'musterd'
  setting: string
  value: unknown
  origin: string
  env: string | null
}

type Env = NodeJS.ProcessEnv

/** The settings of this command. */
export function cliSettings(session: Session, project: Project, env: Env = process.env): SettingRow[] {
  const row = (setting: string, variable: string | null, value: unknown, origin?: string): SettingRow => ({
    of: 'muster',
    setting,
    value,
    origin: origin ?? (!(variable && env[variable]) ? 'default' : isStored(variable) ? 'settings' : 'environment'),
    env: variable,
  })
  return [
    row('server', 'SVC_SERVER', session.target.key, session.serverOrigin),
    row('workspace', 'SVC_WORKSPACE', session.workspace ?? null, session.workspaceOrigin),
    row('token', 'SVC_TOKEN', session.token ? '[set]' : null, session.tokenOrigin),
    row('http_timeout', 'SVC_HTTP_TIMEOUT', env['SVC_HTTP_TIMEOUT'] || '30s'),
    row('config_file', 'SVC_CONFIG', configFile(env)),
    row('data_dir', 'SVC_DATA_DIR', dataDir(env)),
    row('cache_dir', 'XDG_CACHE_HOME', cacheDir(env)),
    row('pager', env['SVC_PAGER'] === undefined ? 'PAGER' : 'SVC_PAGER', pagerOf(env)),
    row('no_color', 'NO_COLOR', Boolean(env['NO_COLOR'])),
    row('no_input', 'SVC_NO_INPUT', Boolean(env['SVC_NO_INPUT'])),
    row('settings_file', null, userFile(env)),
    row('project_file', null, project.file ?? null),
  ]
}

/** The settings of the daemon on this machine, as it reads them itself. Undefined when it is not built. */
export function daemonSettings(env: Env = process.env): Promise<SettingRow[] | undefined> {
  const program = daemonProgram()
  if (!existsSync(program)) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, 'config', '--json'], { env }, (error, stdout, stderr) => {
      if (error) return reject(new InputError(stderr.trim().replace(/^musterd: /, '') || error.message))
      const { settings } = JSON.parse(stdout) as { settings: Omit<SettingRow, 'of'>[] }
      resolve(settings.map(({ setting, value, origin, env }) => ({ of: 'musterd', setting, value, origin, env })))
    })
  })
}
