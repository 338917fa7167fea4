import { execFileSync } from 'node:child_process'

const how =
  'Install one (Debian: apt-get install docker.io iptables, then start dockerd), build the images with scripts/build-images.sh, and run npm test again'
const images = ['muster/crew:local', 'muster/sidecar:local']

const answers = (...question: string[]): boolean => {
  try {
    execFileSync('docker', question, { stdio: 'pipe', timeout: 10_000 })
    return true
  } catch {
    return false
  }
}

/** Why there can be no containers here, for `leaveOut` and `skipIf`; false when an engine answers that has our images. */
export const engineMissing: string | false = (() => {
  if (!answers('version', '--format', '{{.Server.Version}}')) return `no Docker engine answers. ${how}; .ci/run does all of it`
  if (!answers('image', 'inspect', ...images)) return `the Docker engine lacks ${images.join(' or ')}. Build them with scripts/build-images.sh`
  return false
})()
