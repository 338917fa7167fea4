// Fetches the pinned command-line clients of coding agents from the npm registry into a cache outside the repository.
// usage: node scripts/fetch-agent-clis.mjs [CLIENT ...]    prints one line "CLIENT<tab>FOLDER" for each; default: all
// of them
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Those that have an adapter, with what they take on the disk. */
const sizes = { claude: '235 MB', codex: '404 MB', gemini: '100 MB', opencode: '354 MB', droid: '294 MB' }

/** Each with the version that its adapter was checked against, which the images hold as well. */
const known = JSON.parse(readFileSync(new URL('../templates/containers/clis.json', import.meta.url), 'utf8'))
const clients = Object.fromEntries(known.filter(({ name }) => name in sizes).map((client) => [client.name, client]))

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'muster', 'clients')

const say = (text) => process.stderr.write(`${text}\n`)

const npmInstall = (folder) =>
  new Promise((resolve, reject) => {
    const args = [
      'install',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--fetch-retries=1',
      '--fetch-timeout=60000',
    ]
    const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] })
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`npm install ended with code ${code}`))))
  })

/** The folder that holds a client, with its program in node_modules/.bin; fetched unless it is there. */
async function fetchClient(client) {
  const { package: name, version } = clients[client]
  const folder = join(cache, `${client}-${version}`)
  if (existsSync(join(folder, 'node_modules', '.bin', client))) return folder
  say(`Fetching ${name} ${version} (${sizes[client]}) …`)
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, `.${client}-`))
  try {
    // Its install script puts the program for this machine in place.
    writeFileSync(
      join(draft, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [name]: version }, allowScripts: { [name]: true } }),
    )
    await npmInstall(draft)
    chmodSync(draft, 0o755)
    try {
      renameSync(draft, folder)
    } catch (error) {
      // Somebody else was faster.
      if (!existsSync(folder)) throw error
    }
    say(`${client} ${version} is in ${folder}`)
    return folder
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(clients)
for (const client of wanted) {
  if (!Object.hasOwn(clients, client)) {
    say(`There is no client "${client}". Known: ${Object.keys(clients).join(', ')}`)
    process.exit(2)
  }
}
try {
  for (const client of wanted) process.stdout.write(`${client}\t${await fetchClient(client)}\n`)
} catch (error) {
  say(`Could not fetch the client: ${error.message}`)
  process.exit(1)
}
