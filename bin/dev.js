#!/usr/bin/env node
// For work on Muster itself: builds what changed, then runs `muster`, or `musterd` when that is the first word.
import('../scripts/setup.mjs').then(({ ensureBuilt }) => {
  ensureBuilt()
  const daemon = process.argv[2] === 'musterd'
  if (daemon) process.argv.splice(2, 1)
  require(daemon ? './musterd.js' : './muster.js')
})
