#!/usr/bin/env node
// Starts the bundled daemon.
require('./node-version.js')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const root = join(__dirname, '..')
const file = join(root, 'dist', 'daemon', 'musterd.js')
if (existsSync(file)) import(pathToFileURL(file).href)
else {
  process.stderr.write(
    `Error: musterd has not been built: ${file} is missing.\nNext: npm ci && npm run build, in ${root}\n`,
  )
  process.exitCode = 1
}
