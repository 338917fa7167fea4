// `npm run demo`: the whole main job without a key and without a network. `-- --keep` leaves it running.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ensureBuilt, ensureInstalled, root } from './setup.mjs'

const keep = process.argv.includes('--keep')
const colour = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
const title = (text) => process.stdout.write(`\n${paint('1', text)}\n`)
const note = (text) => process.stdout.write(`${paint('2', text)}\n`)

ensureInstalled()
ensureBuilt()

const scratch = mkdtempSync(join(tmpdir(), 'muster-demo-'))
const standIn = join(root, 'templates', 'demo', 'claude-stand-in')

/** The environment of one client: its own configuration, and no setting of the person who runs the demo. */
function client(name) {
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !key.startsWith('SVC_') && !key.startsWith('XDG_')),
  )
  return {
    ...own,
    // A data folder that is named stands for its daemon: who comes from elsewhere names none.
    ...(name === 'laptop' ? { SVC_DATA_DIR: join(scratch, 'data') } : { XDG_DATA_HOME: join(scratch, name) }),
    XDG_CONFIG_HOME: join(scratch, name),
    XDG_CACHE_HOME: join(scratch, 'cache'),
    SVC_PORT: '0',
    ...daemonSettings,
  }
}

let daemonSettings = {}
const muster = join(root, 'bin', 'muster.js')
const shown = (args) => `muster ${args.map((arg) => (/[^\w@./:=-]/.test(arg) ? `'${arg}'` : arg)).join(' ')}`

/** Runs a command as a person would type it, and shows it. */
function run(args, { who = 'laptop', input, quiet = false, capture = false } = {}) {
  if (!quiet)
    process.stdout.write(`${paint('36', '$')} ${input === undefined ? '' : paint('2', 'printf … | ')}${shown(args)}\n`)
  const { status, stdout } = spawnSync(process.execPath, [muster, ...args], {
    env: client(who),
    input,
    stdio: [input === undefined ? 'ignore' : 'pipe', capture ? 'pipe' : 'inherit', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) fail(`${shown(args)} ended with ${status}`)
  return stdout
}

function fail(text) {
  process.stderr.write(`\nThe demo failed: ${text}\nIts folder is kept: ${scratch}\n`)
  process.exit(1)
}

/** Docker when an engine answers and can have an image for the stand-in; else the process runtime, and why. */
function chooseRuntime() {
  const docker = (...args) => spawnSync('docker', args, { encoding: 'utf8', timeout: 20_000 })
  if (docker('version', '--format', '{{.Server.Version}}').status !== 0)
    return processRuntime('no Docker engine answers')
  const image = spawnSync('bash', [join(root, 'scripts', 'build-demo-image.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (image.status !== 0)
    return processRuntime(
      `a Docker engine answers, but the demo's image cannot be made: ${image.stderr.trim().split('\n').at(-1)}`,
    )
  note('Runtime: Docker. Each crew gets a hardened container; a sidecar beside it holds the keys and the only way out.')
  return {
    SVC_CONTAINER_PROVIDER: 'docker',
    SVC_CONTAINER_PREFIX: `muster-demo-${process.pid}`,
    SVC_RUNTIME_IMAGE: 'muster/crew:demo',
    SVC_SIDECAR_IMAGE: 'muster/sidecar:demo',
  }
}

function processRuntime(why) {
  note(`Runtime: local processes, because ${why}.`)
  note('Local processes isolate nothing: fine for this demo, whose agents are scripted, and for nothing else.')
  return { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: join(standIn, 'claude') }
}

title('Muster demo')
note('The agents below are scripted stand-ins that speak the stream protocol of the real command line.')
note('No key, no network, no model. Everything else is the real thing.')
daemonSettings = chooseRuntime()

try {
  title('1. Start the daemon and make yourself its first user')
  run(['up'])
  run(['init', '--name', 'Ada Lovelace', '--email', 'ada@example.com'], { input: 'correct horse battery staple' })

  title('2. A crew with two agents, and a credential that they never see')
  run(['crews', 'create', 'Backend'])
  run(['agents', 'create', 'Grace', '--crew', 'backend', '--title', 'Writes code'])
  run(['agents', 'create', 'Linus', '--crew', 'backend', '--title', 'Reviews code'])
  run(['credentials', 'create', 'demo key', '--type', 'API_KEY', '--provider', 'ANTHROPIC', '--value-stdin'], {
    input: 'sk-ant-this-is-no-real-key',
  })
  for (const agent of ['grace', 'linus'])
    run(['credentials', 'assign', 'demo key', '--agent', agent, '--env-var-name', 'ANTHROPIC_API_KEY'])

  title('3. A turn that runs a tool and writes a file')
  run(['ask', 'grace', 'Write a greeting into hello.txt, please'])
  run(['agents', 'files', 'grace'])

  title('4. A second device, paired by a code')
  await pairSecondClient()
  run(['ask', 'linus', 'Hello, are you there?'], { who: 'phone' })

  title('5. Everything that happened, in the journal')
  run(['runs', 'list'])
  run(['journal', 'list', '--limit', '40'])
  run(['journal', 'verify'])
  title('Go on')
  next()
} finally {
  if (!keep) {
    await removeCrew()
    run(['down'], { quiet: true, capture: true })
    cleanUp()
  }
}

/** `muster pair` waits until its code is redeemed: the second client does that meanwhile. */
function pairSecondClient() {
  process.stdout.write(`${paint('36', '$')} muster pair\n`)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [muster, 'pair'], {
      env: client('laptop'),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Through a pipe it draws no progress that the second client would write into.
    child.stderr.pipe(process.stderr, { end: false })
    let text = ''
    let redeemed = false
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk)
      text += chunk
      const code = /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec(text)?.[0]
      if (!code || redeemed) return
      redeemed = true
      const url = JSON.parse(run(['status', '--json'], { quiet: true, capture: true })).url
      run(['login', '--server', url, '--code', code], { who: 'phone' })
    })
    child.on('exit', (code) => (code === 0 ? resolve() : fail(`muster pair ended with ${code}`)))
  })
}

function next() {
  const settings = Object.entries({ SVC_DATA_DIR: join(scratch, 'data'), XDG_CONFIG_HOME: join(scratch, 'laptop') })
  if (keep) {
    const file = join(scratch, 'env.sh')
    writeFileSync(
      file,
      `${settings.map(([key, value]) => `export ${key}='${value}'`).join('\n')}\nalias muster='node ${muster}'\n`,
    )
    note('It is left running. In this shell:')
    process.stdout.write(
      `  . ${file}\n  muster chat grace\n  muster journal tail -f\n  muster doctor\n  muster crews remove ` +
        `backend && muster down && rm -r ${scratch}\n`,
    )
    return
  }
  note('npm run demo -- --keep leaves it running. With a key of your own:')
  process.stdout.write(
    '  muster up\n  muster init\n  muster crews create Backend\n  muster agents create Grace --crew backend\n  ' +
      'printf %s "$ANTHROPIC_API_KEY" | muster credentials create main --type API_KEY --provider ANTHROPIC ' +
      '--value-stdin\n  muster credentials assign main --agent grace\n  muster chat grace\n',
  )
}

/** The containers go after the crew, and the volumes last: a daemon that stops sooner would leave them. */
async function removeCrew() {
  const { id } = JSON.parse(run(['crews', 'show', 'backend', '--json'], { quiet: true, capture: true }))
  run(['crews', 'remove', 'backend', '--confirm', 'backend'], { quiet: true, capture: true })
  const volumes = ['volume', 'ls', '-q', '--filter', `label=svc.crew-id=${id}`]
  const isLeft = () => spawnSync('docker', volumes, { encoding: 'utf8' }).stdout?.trim()
  if (daemonSettings.SVC_CONTAINER_PROVIDER !== 'docker') return
  for (let tries = 0; tries < 150 && isLeft(); tries++) await delay(200)
}

function cleanUp() {
  rmSync(scratch, { recursive: true, force: true })
}
