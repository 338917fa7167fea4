import { parseArgs } from 'node:util'
import { ConfigError, loadConfig } from '#kernel/config'
import { type Setting, settings } from '#kernel/settings'
import { isDamaged, UnfitDatabase } from '#kernel/store/db'
import { Locked } from '#kernel/store/lock'
import { storageFault } from '#kernel/store/storage-fault'
import { version } from '#kernel/version'
import { StartRefused } from './start/loss.ts'
import { vendorSettings } from './vendor-settings.ts'

const usage = `musterd ${version}: the Muster daemon

Usage
  musterd [--host ADDRESS] [--port PORT] [--data-dir DIR] [--container-provider docker|process] [--config FILE]
          [--accept-data-loss]
  musterd config [--json]   print every setting, its value and where it comes from
  musterd admin VERB        work on the data with no daemon running: the other end of \`muster admin\`
  musterd openapi           print the HTTP interface as OpenAPI 3.1
  musterd wiring            print which feature reacts to which fact, in the order in which reactions run
  musterd --version

It runs in the foreground and prints one line of JSON when it is ready. SIGTERM drains and stops it; crews and their
runs continue. \`muster up\` starts it in the background.

It refuses to start, with exit code 3, when stored data is lost or damaged or does not match its key or seals, and
says what is lost. --accept-data-loss starts it once without that data: unusable files are renamed and kept, and the
journal records each loss.
`

const flagNames = Object.values(settings).flatMap((it) => ('flag' in it ? [it.flag] : []))

function readArguments() {
  const options = Object.fromEntries([...flagNames, 'config'].map((name) => [name, { type: 'string' as const }]))
  return parseArgs({
    allowPositionals: true,
    options: {
      ...options,
      json: { type: 'boolean' },
      'accept-data-loss': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  })
}

const load = (flags: Record<string, string | undefined>) => loadConfig({ flags, vendor: vendorSettings })

function printConfig(json: boolean, flags: Record<string, string | undefined>): void {
  const { config, origins, file } = load(flags)
  const row = (name: string, { path, env, summary, secret }: Setting, given: unknown) => {
    const value = secret && given ? '[set]' : given
    return { setting: path, value, origin: origins[name], env, summary }
  }
  const rows = [
    ...(Object.keys(settings) as (keyof typeof settings)[]).map((name) => row(name, settings[name], config[name])),
    ...vendorSettings.map((it) => row(it.path, it, config.vendor[it.path])),
  ]
  if (json) process.stdout.write(`${JSON.stringify({ file, settings: rows })}\n`)
  else
    for (const { setting, value, origin } of rows)
      process.stdout.write(`${setting}\t${Array.isArray(value) ? value.join(',') : value}\t${origin}\n`)
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments()
  const flags = values as Record<string, string | undefined>
  const [command = 'serve', ...rest] = positionals
  if (values['version']) return void process.stdout.write(`${version}\n`)
  if (values['help'] || command === 'help') return void process.stdout.write(usage)
  if (command === 'admin' && rest.length < 2) {
    const { administrate } = await import('./admin/run.ts')
    process.exit((await administrate(rest[0], load(flags).config)) ? 0 : 1)
  }
  if (rest.length) throw new ConfigError(`Too many arguments: ${rest.join(' ')}`)
  if (command === 'openapi') {
    const { openapi } = await import('#kernel/http/openapi')
    return void process.stdout.write(`${JSON.stringify(openapi(), null, 2)}\n`)
  }
  if (command === 'wiring') {
    const { printWiring } = await import('./wiring.ts')
    return void process.stdout.write(printWiring())
  }
  if (command === 'config') return printConfig(values['json'] === true, flags)
  if (command !== 'serve') throw new ConfigError(`There is no command "${command}"; see musterd --help`)
  const { serve } = await import('./serve.ts')
  await serve(load(flags).config, { acceptLoss: values['accept-data-loss'] === true })
}

/** Exit code when the stored state is damaged: starting again would not help. */
const lostState = 3

/** Explains errors that the operator can fix; other errors show their stack. */
function explain(error: Error & { code?: string; address?: string; port?: number }): [text: string, exitCode: number] {
  if (error instanceof ConfigError || error.code?.startsWith('ERR_PARSE_ARGS')) return [error.message, 2]
  if (error instanceof Locked) return [`${error.message}. Stop it (muster down), or use another --data-dir`, 1]
  if (error instanceof StartRefused || error instanceof UnfitDatabase) return [error.message, lostState]
  if (isDamaged(error))
    return [`The database is damaged: ${error.message}. Restore the newest backup of the whole data folder`, lostState]
  if (error.code === 'EADDRINUSE')
    return [`${error.address}:${error.port} is in use. Choose another --port (0 picks a free one)`, 1]
  const fault = storageFault(error)
  if (fault)
    return [
      `The disk of the data directory ${fault === 'full' ? 'is full' : 'cannot be used'} (${error.message}). ` +
        'Fix that, then start again',
      1,
    ]
  return [error.stack ?? error.message, 1]
}

main().catch((error: Error) => {
  const [text, exitCode] = explain(error)
  process.stderr.write(`musterd: ${text}\n`)
  process.exit(exitCode)
})
