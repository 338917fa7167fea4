import { parseArgs } from 'node:util'
import { ConfigError, type LoadedConfig, loadConfig } from '#kernel/config'
import { type Setting, settings } from '#kernel/settings'
import { version } from '#kernel/version'
import { explain } from './start/failure.ts'
import { vendorSettings } from './vendor-settings.ts'

const usage = `musterd ${version}: the Muster daemon

Usage
  musterd [--host ADDRESS] [--port PORT] [--data-dir DIR] [--container-provider docker|process] [--config FILE]
          [--accept-data-loss]
  musterd config [--json]   print every setting, its value and where it comes from
  musterd check [--json]    examine data folder, database, key and port, and change nothing
  musterd admin VERB        work on the data with no daemon running: the other end of \`muster admin\`
  musterd backup VERB       read and restore backups of this machine: the other end of \`muster backup\`
  musterd rehearse          start without network, runtime and jobs, until standard input ends
  musterd openapi           print the HTTP interface as OpenAPI 3.1
  musterd wiring            print which feature reacts to which fact, in the order in which reactions run
  musterd --version

It runs in the foreground and prints one line of JSON when it is ready. SIGTERM drains and stops it, a second one stops
it at once; crews and their runs continue. SIGHUP reads configuration and certificates again. \`muster up\` starts it in
the background.

When it cannot start it says what is wrong, why and what to do. Its exit code names the kind: 2 configuration, 3 lost
data, 4 another daemon, 5 rights, 6 disk, 7 address, 8 the database of another version, 1 anything else.

It refuses to start when stored data is lost or damaged, or does not fit its key or seals. --accept-data-loss starts it
all the same, this once: what cannot be used is kept aside, and the journal records it.
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

const load = (flags: Record<string, string | undefined>): LoadedConfig => loadConfig({ flags, vendor: vendorSettings })

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
  if (command === 'backup' && rest.length < 2) {
    const { serveBackup } = await import('./backup/host.ts')
    process.exit((await serveBackup(rest[0], load(flags).config)) ? 0 : 1)
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
  if (command === 'check') {
    const { check } = await import('./start/check.ts')
    process.exitCode = await check(load(flags).config, values['json'] === true)
    return
  }
  if (command === 'rehearse') {
    const { rehearse } = await import('./rehearse.ts')
    return rehearse(load(flags).config)
  }
  if (command !== 'serve') throw new ConfigError(`There is no command "${command}"; see musterd --help`)
  const { serve } = await import('./serve.ts')
  await serve({ load: () => load(flags).config, acceptLoss: values['accept-data-loss'] === true })
}

// Whoever reads a part of what is printed closes the pipe; the daemon itself goes on without one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

main().catch((error: Error) => {
  const { text, next, exitCode } = explain(error)
  process.stderr.write(`musterd: ${text}\n${next === null ? '' : `Next: ${next}\n`}`)
  process.exit(exitCode)
})
