#!/usr/bin/env node
// Starts the bundled command line. Most of its start would go into compiling, so V8's compiled form is kept between
// runs.
const fs = require('node:fs')
const { join } = require('node:path')

const file = join(__dirname, '..', 'dist', 'cli', 'muster.cjs')
const word = process.argv[2]
const [major, minor] = process.versions.node.split('.')
if (major < 20 || (Number(major) === 20 && minor < 17)) require('./node-version.js')
if (process.argv.length === 3 && (word === '--version' || word === '-V')) {
  const { version } = JSON.parse(fs.readFileSync(join(__dirname, '..', 'package.json'), 'utf8'))
  process.stdout.write(`muster/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
} else if (fs.existsSync(file)) {
  start()
} else {
  process.stderr.write(
    `Error: muster has not been built: ${file} is missing.\nNext: npm ci && npm run build, in ` +
      `${join(__dirname, '..')}\n`,
  )
  process.exitCode = 1
}

function start() {
  const vm = require('node:vm')
  const source = fs.readFileSync(file, 'latin1')
  const cache = cacheFile(source.slice(2, 18))
  const cachedData = cache && readOwn(cache)
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData,
  })
  if (cache && (!cachedData || script.cachedDataRejected)) process.on('exit', () => writeOwn(cache, script))
  script.runInThisContext()(exports, require, module, file, join(__dirname, '..', 'dist', 'cli'))
}

/**
 * Overview, help, tables and output for programs use different code, so each has a cache of its own. None when Node
 * was given flags: they change the compiled form.
 */
function cacheFile(digest) {
  const home = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'))
  if (!home || process.env.NODE_OPTIONS || process.execArgv.length) return undefined
  const asksHelp = process.argv.includes('--help') || process.argv.includes('-h') || word === 'help'
  // A wrong guess costs a little time, nothing else.
  const data = / (--json|--jq|--template|(-o|--output)[ =]?(json|ndjson|yaml|name))\b/
  const isOverview = process.argv.length < (asksHelp ? 4 : 3)
  const kind = isOverview ? 'overview' : asksHelp ? 'help' : data.test(process.argv.join(' ')) ? 'data' : 'run'
  return join(home, 'muster', `${kind}-${digest}-${process.version}-${process.arch}`)
}

/** Compiled code is code: it is taken only from a file that nobody else could have written. */
function readOwn(path) {
  let opened
  try {
    opened = fs.openSync(path, 'r')
    const { uid, mode } = fs.fstatSync(opened)
    return uid === process.getuid() && !(mode & 0o022) ? fs.readFileSync(opened) : undefined
  } catch {
    return undefined
  } finally {
    if (opened !== undefined) fs.closeSync(opened)
  }
}

function writeOwn(path, script) {
  // Only a run that did real work has compiled what later runs need.
  if (/\/(run|data)-/.test(path) && !process[Symbol.for('muster.worked')]) return
  const draft = `${path}.${process.pid}`
  try {
    const dir = join(path, '..')
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
    const { uid, mode } = fs.statSync(dir)
    if (uid !== process.getuid() || mode & 0o022) return
    for (const old of fs.readdirSync(dir))
      if (/^(overview|help|run|data)-/.test(old) && !old.includes(path.split('-').slice(-3).join('-')))
        fs.rmSync(join(dir, old), { force: true })
    fs.writeFileSync(draft, script.createCachedData(), { mode: 0o600, flag: 'wx' })
    fs.renameSync(draft, path)
  } catch {
    // Without a cache every start takes a little longer; nothing else is lost.
    fs.rmSync(draft, { force: true })
  }
}
