// The programs are tested as users run them, and built once: a test that finds them stale would build them anew under
// the feet of the others.
export { ensureBuilt as default } from '../../scripts/setup.mjs'
